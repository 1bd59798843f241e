INSERT INTO item (nested) VALUES (:v) RETURNING nested AS r
