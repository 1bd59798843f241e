CREATE TABLE t (x xid8)
