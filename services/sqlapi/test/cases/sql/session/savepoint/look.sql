SELECT count(*) > 0 AS left_over FROM t
