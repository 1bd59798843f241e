SELECT name FROM item WHERE id = :id
