SELECT id FROM item WHERE (:name IS NULL OR name = :name) ORDER BY id
