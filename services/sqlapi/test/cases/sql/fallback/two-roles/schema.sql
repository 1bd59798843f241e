CREATE TABLE t (id int, name text, j jsonb); INSERT INTO t VALUES (7, 'seven', '{"k": 7}')
