/*
declaration:
  description: "Orders"
*/
-- @param from date default null
-- @param state default null
-- @enum state open, paid
SELECT id FROM orders
WHERE (:from IS NULL OR placed_on >= :from) AND (:state IS NULL OR state = :state)
ORDER BY id
