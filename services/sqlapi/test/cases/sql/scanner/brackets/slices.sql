SELECT xs[:a:b] AS ab, xs[:a::int:b::int] AS casts, xs[1:(:b)] AS one, xs[CASE WHEN true THEN :a END:b] AS cased, xs[:a] AS x,
  xs[2:array_length(xs, 1)] AS rest, xs[1:t.n] AS first, xs['1':b] AS text, (ARRAY[xs[:a:b], xs[2:3]])[1:1][1:n] AS nested
FROM (SELECT ARRAY[10, 20, 30] AS xs, 1 AS n) AS t
