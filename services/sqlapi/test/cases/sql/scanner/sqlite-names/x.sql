SELECT 1 AS `:no;`, 2 AS [:no; it's], :x AS `a``b`, 3 AS [a"b], 4 AS "`"
