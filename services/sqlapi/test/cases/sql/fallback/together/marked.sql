-- @transactional
INSERT INTO journal VALUES (:id);
SELECT born + :days AS r FROM item WHERE id = :id AND (:s IS NULL OR :s = '') LIMIT CASE WHEN true THEN :n END