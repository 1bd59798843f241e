SELECT :x::numeric AS x, :x IS NULL AS none
