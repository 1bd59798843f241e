INSERT INTO t (d, m, at, u, e, n, a, f, i, b, j, k, ip, span, bytes, bits, r, v, c, x, p)
VALUES (:d, :m, :at, :u, :e, :n, :a, :f, :i, :b, :j, :k, :ip, :span, :bytes, :bits, :r, :v, :c, :x, :p) RETURNING *
