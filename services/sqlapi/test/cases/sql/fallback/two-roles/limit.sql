SELECT name FROM t WHERE name <> :x LIMIT :x
