SELECT ARRAY[:xs]::text[] AS xs
