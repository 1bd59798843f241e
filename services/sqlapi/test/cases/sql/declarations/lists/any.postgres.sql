-- @param ids integer[] default []
SELECT id FROM orders WHERE id = ANY(:ids) ORDER BY id
