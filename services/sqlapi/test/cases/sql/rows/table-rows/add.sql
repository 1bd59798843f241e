INSERT INTO person VALUES (1, ROW('High St', 'a@b'), ARRAY[ROW('Low "St"', NULL)::address]) 
