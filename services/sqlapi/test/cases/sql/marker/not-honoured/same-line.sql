SELECT 1; -- @transactional
INSERT INTO t VALUES (1, 'a');
INSERT INTO t VALUES (1, 'b')
