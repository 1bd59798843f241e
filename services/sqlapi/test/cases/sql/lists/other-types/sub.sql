SELECT id FROM t WHERE id IN (SELECT unnest(:xs)) ORDER BY id
