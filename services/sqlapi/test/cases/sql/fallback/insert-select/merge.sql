MERGE INTO t USING (VALUES (:id::int, :d::date)) AS s (id, d) ON t.id = s.id AND t.id = -1 WHEN MATCHED THEN UPDATE SET d = s.d WHEN NOT MATCHED THEN DO NOTHING
