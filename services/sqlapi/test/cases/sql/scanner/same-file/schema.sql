CREATE TABLE t (id int, name text); INSERT INTO t VALUES (1, 'a;b'), (2, ':c')
