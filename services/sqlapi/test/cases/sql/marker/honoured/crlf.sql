-- @transactional
INSERT INTO t VALUES (1, 'a');
INSERT INTO t VALUES (1, 'b')
