SELECT id FROM t WHERE tags && :xs
