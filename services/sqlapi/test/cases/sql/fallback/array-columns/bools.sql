INSERT INTO t (bools) VALUES (:x) RETURNING bools
