INSERT INTO t (id, name) VALUES (:x, :x) RETURNING id, name
