-- @transactional
INSERT INTO c VALUES (:id);
SELECT p FROM c
