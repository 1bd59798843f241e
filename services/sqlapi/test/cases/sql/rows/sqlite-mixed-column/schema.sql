CREATE TABLE t (v); INSERT INTO t VALUES (1), ('one'), (1.5), (NULL), (x'01')
