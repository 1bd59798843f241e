SELECT id FROM t WHERE id = ANY(ARRAY[:xs]::int[])
