INSERT INTO item (numbers) VALUES (:v) RETURNING numbers AS r
