SELECT count(*) > 0 AS left_over FROM pg_prepared_statements WHERE name = 'mine'
