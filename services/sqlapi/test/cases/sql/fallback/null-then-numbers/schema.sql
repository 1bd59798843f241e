CREATE TABLE t (n numeric, f float8, i int8, t text, j jsonb)
