CREATE TABLE orders (id INTEGER, state TEXT, placed_on DATE);
INSERT INTO orders VALUES (1, 'open', '2026-01-31'), (2, 'paid', '2026-02-28');
