SELECT 1 AS "begin", atomic FROM (SELECT 2 AS atomic) AS t;
SELECT :n AS n
