INSERT INTO t VALUES (:id, :name)
