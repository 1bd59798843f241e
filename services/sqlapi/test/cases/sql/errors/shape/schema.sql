CREATE TABLE t (id int PRIMARY KEY, n int CHECK (n > 0), name text NOT NULL); INSERT INTO t VALUES (1, 1, 'a')
