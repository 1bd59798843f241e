-- @transactional
INSERT INTO t VALUES (1, 'a');
CREATE TABLE made (id int);
SELECT * FROM nowhere
