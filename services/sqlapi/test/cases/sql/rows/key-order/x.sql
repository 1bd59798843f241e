SELECT 1 AS "2", 2 AS "1", 3 AS b, 4 AS a, 5 AS "0", 6 AS "__proto__", 7 AS "constructor", 8 AS "toString"
