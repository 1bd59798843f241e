SELECT session_user <> 'postgres' AS left_over
