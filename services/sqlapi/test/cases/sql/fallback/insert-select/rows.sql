SELECT * FROM (VALUES (:a), (:b)) AS v (x)
