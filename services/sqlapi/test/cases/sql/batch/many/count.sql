SELECT count(*) AS n, sum(id) AS total FROM t
