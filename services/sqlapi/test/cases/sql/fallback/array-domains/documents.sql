INSERT INTO item (documents) VALUES (:v) RETURNING documents AS r
