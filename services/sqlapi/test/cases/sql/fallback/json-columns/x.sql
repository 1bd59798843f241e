INSERT INTO t (j, k) VALUES (:x, :x) RETURNING j, k
