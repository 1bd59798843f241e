CREATE TABLE t (id int, made_by text)
