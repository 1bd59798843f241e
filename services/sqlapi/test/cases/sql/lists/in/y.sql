SELECT id FROM t WHERE name IN (:xs) ORDER BY id
