SELECT id FROM t WHERE lower(name) IN (:xs) ORDER BY id
