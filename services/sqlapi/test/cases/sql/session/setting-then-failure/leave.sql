SET statement_timeout = 54321;
SELECT 1 / 0
