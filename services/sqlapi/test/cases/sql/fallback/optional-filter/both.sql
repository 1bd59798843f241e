SELECT id FROM item WHERE (:id IS NULL OR id = :id) AND (:name IS NULL OR name = :name) AND (:price IS NULL OR price >= :price) ORDER BY id
