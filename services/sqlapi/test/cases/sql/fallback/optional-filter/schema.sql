CREATE TABLE item (id int, name text, price numeric(10,2)); INSERT INTO item VALUES (1, 'a', 1.5), (2, 'b', 2.5)
