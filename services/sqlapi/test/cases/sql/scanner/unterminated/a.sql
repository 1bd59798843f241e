SELECT 'open :x; SELECT 1
