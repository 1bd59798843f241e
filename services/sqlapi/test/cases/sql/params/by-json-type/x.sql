SELECT pg_typeof(:x)::text AS type, CAST(:x AS text) AS text
