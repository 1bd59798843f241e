SELECT id FROM t WHERE n = ANY(:xs)
