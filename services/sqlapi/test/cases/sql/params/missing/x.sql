SELECT :b AS b, :a AS a, :c AS c
