SELECT ARRAY[:a, :b] AS xs
