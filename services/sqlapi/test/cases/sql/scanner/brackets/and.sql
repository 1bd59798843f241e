SELECT ARRAY[true AND :u = 'a'] AS r
