SELECT pg_typeof(:x)::text AS type, :x AS x
