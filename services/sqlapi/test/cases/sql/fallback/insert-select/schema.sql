CREATE TABLE t (id int, d date, n numeric, tags text[]); INSERT INTO t (id) VALUES (1)
