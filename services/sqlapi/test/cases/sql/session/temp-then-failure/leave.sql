CREATE TEMP TABLE scratch (id int);
SELECT 1 / 0
