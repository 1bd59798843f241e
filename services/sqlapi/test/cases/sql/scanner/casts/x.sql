SELECT :x::text AS a, '1'::int AS b, :x ::int AS c, CAST(:x AS text)::varchar(5)::text AS d, (:x)::numeric(4,2) AS e, '{1}'::int[]::text AS f, :x::pg_catalog.int8 AS g
