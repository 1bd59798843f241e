SELECT U&'\0064:no;\\' AS a, U&"d\0061ta" AS b, :x AS x, u&'d!0061t' UESCAPE '!' AS c, B'101'::text AS d, X'1F'::bit(8)::text AS e, N'n:no' AS f FROM (SELECT 1) AS t (data)
