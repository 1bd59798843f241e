CREATE TABLE t (id int, n numeric, j jsonb); INSERT INTO t VALUES (1, 2, '{}')
