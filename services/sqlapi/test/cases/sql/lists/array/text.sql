SELECT ARRAY[:xs]::text[] AS xs, array_length(ARRAY[:xs]::text[], 1) IS NULL AS none
