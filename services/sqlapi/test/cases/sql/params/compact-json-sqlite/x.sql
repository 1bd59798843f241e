SELECT typeof(:x) AS type, :x AS x
