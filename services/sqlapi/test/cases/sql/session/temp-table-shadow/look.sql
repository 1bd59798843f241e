SELECT id <> 1 AS left_over FROM t
