SELECT name FROM t WHERE id IN (:xs) AND jsonb_array_length(:xs::jsonb) = 2 AND name = 'seven'
