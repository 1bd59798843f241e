INSERT INTO t (jsons) VALUES (:x) RETURNING jsons
