-- @summary Customers whose name begins so
SELECT customer_id, full_name
FROM customer
WHERE full_name LIKE :name || '%'
ORDER BY full_name
LIMIT 100
