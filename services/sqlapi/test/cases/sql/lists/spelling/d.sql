SELECT id FROM t WHERE (id NOT	IN(:xs)AND id > 0)OR id IN(:ys)ORDER BY id
