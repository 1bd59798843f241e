SELECT current_setting('statement_timeout', true) IS NOT DISTINCT FROM '54321ms' AS left_over
