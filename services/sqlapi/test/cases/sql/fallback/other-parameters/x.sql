SELECT pg_typeof(:a)::text AS a, pg_typeof(:b)::text AS b, pg_typeof(:c)::text AS c, pg_typeof(:d)::text AS d, pg_typeof(:e)::text AS e FROM t WHERE id = :id
