SELECT :x::numeric AS x
