CREATE TEMP TABLE scratch (id int)
