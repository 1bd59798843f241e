SELECT ARRAY[:xs]::int[] AS xs
