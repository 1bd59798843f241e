INSERT INTO t (n, f) VALUES (:x, :x) RETURNING n, f
