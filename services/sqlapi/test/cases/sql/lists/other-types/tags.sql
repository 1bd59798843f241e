SELECT id FROM t WHERE tags IN (:xs) ORDER BY id
