SELECT id FROM t WHERE id::text LIKE :x || '%'
