-- @transactional
INSERT INTO t VALUES (:a, 'a');
UPDATE t SET name = 'c' WHERE id = :a;
SELECT id, name FROM t ORDER BY id
