SELECT current_setting('app.user', true) IS NOT DISTINCT FROM 'ann' AS left_over
