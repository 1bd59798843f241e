INSERT INTO t VALUES (2, 'y');
SELECT count(*) AS n FROM t;
