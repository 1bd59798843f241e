SELECT :a AS a, :b AS b, :c AS c
