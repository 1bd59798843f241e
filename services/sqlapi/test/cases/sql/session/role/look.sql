SELECT current_user <> 'postgres' AS left_over
