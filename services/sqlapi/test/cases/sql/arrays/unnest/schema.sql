CREATE TABLE t (id int PRIMARY KEY, name text, price float8, ok bool)
