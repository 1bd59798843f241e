SELECT id FROM t WHERE (id IN (
:xs
)) ORDER BY id
