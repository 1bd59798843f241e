SELECT current_schema() IS DISTINCT FROM 'public' AS left_over
