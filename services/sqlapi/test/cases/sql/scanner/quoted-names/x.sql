SELECT 1 AS ":no", 2 AS "a""b:no;", 3 AS "--", :x AS "/*", 4 AS "it's"
