SELECT coalesce(:x, 7) AS x
