SELECT 1 AS one;
SET statement_timeout = 54321;
SELECT 2 AS two
