-- @transactional
INSERT INTO t VALUES (:id, 'a') RETURNING id
