SELECT 3 AS three
