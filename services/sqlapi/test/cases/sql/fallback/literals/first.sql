SELECT coalesce(:a, :x, 'x') AS r
