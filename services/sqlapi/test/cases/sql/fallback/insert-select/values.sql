INSERT INTO t (d, n) VALUES (:d, :n), (:d2, :n2) RETURNING d, n
