SELECT name FROM t WHERE id = :x OR name = :x
