SELECT id FROM t WHERE id in(:xs) ORDER BY id
