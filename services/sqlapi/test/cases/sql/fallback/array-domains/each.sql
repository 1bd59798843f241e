INSERT INTO item (each) VALUES (:v) RETURNING each AS r
