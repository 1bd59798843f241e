SELECT 'x:no' AS a FROM (SELECT 1) AS t (namee)
