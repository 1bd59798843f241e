SELECT id FROM t WHERE tags @> ARRAY[:xs]::varchar[]::text[] AND id = 1
