SELECT id AS r FROM person WHERE id = nullif(:id, '')
