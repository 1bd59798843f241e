SELECT id FROM t WHERE id IN (:a, :b) ORDER BY id
