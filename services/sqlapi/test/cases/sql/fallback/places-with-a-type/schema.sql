CREATE TABLE t (id int); INSERT INTO t VALUES (1), (2), (3)
