SELECT id FROM t WHERE id IN (:xs) AND name = :name AND id NOT IN (:ys)
