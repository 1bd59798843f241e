-- @param ids integer[] default []
SELECT id FROM orders WHERE id IN (:ids) ORDER BY id
