SELECT cast(:x AS TIMESTAMPTZ) AS moment, :d::date AS day, CAST(:t AS time) + interval '1 hour' AS later
