-- @transactional
INSERT INTO t (id, tags, d) VALUES (:id, :tags, :d);
SELECT id, tags, d FROM t WHERE id = :id AND d = :d LIMIT :n
