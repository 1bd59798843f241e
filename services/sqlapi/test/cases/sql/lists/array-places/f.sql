SELECT cardinality(ARRAY[:xs]::text[]) AS n, coalesce(array_length(array[:xs]::text[], 1), 0) AS m
