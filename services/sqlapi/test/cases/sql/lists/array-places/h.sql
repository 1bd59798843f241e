SELECT ARRAY[:xs] || ARRAY[:ys] AS joined
