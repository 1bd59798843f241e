CREATE TABLE t (id serial, j jsonb, k json)
