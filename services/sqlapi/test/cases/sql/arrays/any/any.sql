SELECT id FROM t WHERE id = ANY(:ids) ORDER BY id
