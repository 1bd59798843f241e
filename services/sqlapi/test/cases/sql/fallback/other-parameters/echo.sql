SELECT :a AS a, :b AS b, :c AS c, :d AS d FROM t WHERE id = :id
