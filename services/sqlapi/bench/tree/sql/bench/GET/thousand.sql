-- A large page of items, all their columns.
SELECT id, owner_id, title, is_active, created_at, unit_price, score, details
FROM item
WHERE id > :after
ORDER BY id
LIMIT 1000;
