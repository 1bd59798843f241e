CREATE TABLE t (id int, user_name text)
