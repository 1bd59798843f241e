CREATE TABLE t (id int, name text); INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, NULL)
