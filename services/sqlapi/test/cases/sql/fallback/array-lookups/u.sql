SELECT id FROM t WHERE u = ANY(:xs)
