SELECT id FROM t WHERE id IN (:a + 1) ORDER BY id
