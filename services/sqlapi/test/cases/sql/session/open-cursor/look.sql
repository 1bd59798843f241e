SELECT count(*) > 0 AS left_over FROM pg_cursors WHERE name = 'mine'
