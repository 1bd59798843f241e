CREATE TABLE t (id int, tags text[], d date)
