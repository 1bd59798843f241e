INSERT INTO item (names) VALUES (:v) RETURNING names AS r
