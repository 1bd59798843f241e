INSERT INTO t (uuids) VALUES (:x) RETURNING uuids
