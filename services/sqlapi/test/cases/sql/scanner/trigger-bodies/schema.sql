CREATE TABLE t (id int); CREATE TABLE log (note text)
