SELECT nullif(:x, '') AS r
