INSERT INTO item (few) VALUES (:v) RETURNING few AS r
