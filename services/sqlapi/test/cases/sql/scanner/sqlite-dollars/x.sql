SELECT 'c:\' AS a, x'3a6e6f' AS b, :x AS x, 'é;:no' AS c
