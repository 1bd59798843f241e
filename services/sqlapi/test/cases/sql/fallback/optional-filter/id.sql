SELECT id FROM item WHERE (:id IS NULL OR id = :id) ORDER BY id
