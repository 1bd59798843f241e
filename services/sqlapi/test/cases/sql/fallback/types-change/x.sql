SELECT id FROM t WHERE id = :id
