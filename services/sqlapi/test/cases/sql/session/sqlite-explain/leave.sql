CREATE TEMP TABLE scratch (id int);
SELECT json('{')
