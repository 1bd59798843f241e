SELECT 1 AS a_b, 2 AS c, 3 AS "aB", 4 AS d, 5 AS c
