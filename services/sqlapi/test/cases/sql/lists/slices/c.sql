SELECT xs[:n] AS x, xs[:m:3] AS ys FROM (SELECT ARRAY[10, 20, 30] AS xs) AS t
