SELECT 1 AS row_id, 'a "b"' AS name, NULL AS note
UNION ALL
SELECT 2, 'c', ''
ORDER BY 1
