CREATE TABLE orders (id INTEGER);
INSERT INTO orders VALUES (1), (2), (3);
