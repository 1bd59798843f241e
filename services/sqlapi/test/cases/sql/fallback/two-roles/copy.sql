SELECT :x::int AS i, :x::text AS t, :x AS x
