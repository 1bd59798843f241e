INSERT INTO person (name) VALUES (nullif(:name, '')) RETURNING name AS r
