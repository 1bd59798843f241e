CREATE TABLE late (id int)
