INSERT INTO t (numerics) VALUES (:x) RETURNING numerics
