CREATE TEMP TABLE scratch (n int);
INSERT INTO scratch VALUES (:n);
SELECT n FROM scratch
