SELECT n FROM generate_series(1, :n) AS n
