INSERT INTO t (id, d, n) SELECT :id, :d, :n RETURNING d, n
