SELECT id FROM t WHERE (id + 1) IN (:xs) ORDER BY id
