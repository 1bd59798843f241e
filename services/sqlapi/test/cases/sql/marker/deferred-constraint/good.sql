-- @transactional
INSERT INTO c VALUES (:id);
INSERT INTO p VALUES (:id);
SELECT p FROM c
