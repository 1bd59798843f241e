SELECT repeat(:s, :n) AS text
