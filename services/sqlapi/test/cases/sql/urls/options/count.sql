SELECT count(*) AS n FROM t
