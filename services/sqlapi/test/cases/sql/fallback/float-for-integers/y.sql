SELECT n FROM generate_series(1, 3) AS n LIMIT :n
