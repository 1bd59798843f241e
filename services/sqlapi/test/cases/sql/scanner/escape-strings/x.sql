SELECT E'it\'s :no;' AS a, e'\\' AS b, :x AS x, E'a''b\n' AS c, 'c:\' AS d, E'\\\'' AS e, 'x' AS "E'", E'''' AS f
