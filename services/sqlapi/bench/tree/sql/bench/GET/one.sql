-- One item by its key.
SELECT id, title, is_active, created_at FROM item WHERE id = :id;
