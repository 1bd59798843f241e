INSERT INTO t (floats) VALUES (:x) RETURNING floats
