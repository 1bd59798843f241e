INSERT INTO t (texts) VALUES (:x) RETURNING texts
