CREATE TABLE t (id int); CREATE TABLE log (id int)
