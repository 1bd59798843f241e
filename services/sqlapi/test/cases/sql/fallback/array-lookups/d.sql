SELECT id FROM t WHERE d = ANY(:xs)
