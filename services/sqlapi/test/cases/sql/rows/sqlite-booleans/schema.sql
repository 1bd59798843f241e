CREATE TABLE t (id INTEGER, a BOOLEAN, b bool, c Boolean, d INTEGER);
INSERT INTO t VALUES (1, 0, 1, 1, 1), (2, 2, NULL, 'x', 0), (3, 1.5, -1, 0, 0)
