SELECT :d::date AS day, :d::text AS text
