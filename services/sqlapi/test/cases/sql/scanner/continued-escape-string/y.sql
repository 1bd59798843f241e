SELECT 'a'
'b:no' AS a, :x AS x
