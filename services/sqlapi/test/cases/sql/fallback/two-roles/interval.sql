SELECT :n::int AS n, (:n || ' days')::interval AS span
