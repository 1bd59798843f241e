SELECT pg_sleep(0) AS nothing, ROW(1, 'x', NULL) AS record, (SELECT r FROM (SELECT 1 AS a, 'y z' AS b) AS r) AS sub, '(7,9)'::tid AS place
