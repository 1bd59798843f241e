SELECT xs[1:2][1:1] AS ys FROM (SELECT ARRAY[[1, 2], [3, 4]] AS xs) AS t
