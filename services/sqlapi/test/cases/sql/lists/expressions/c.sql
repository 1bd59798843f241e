SELECT id FROM t WHERE CAST(id AS text) || '' IN (:xs) ORDER BY id
