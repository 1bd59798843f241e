SELECT current_setting('app.who', true) IS NOT DISTINCT FROM 'ann' AS left_over
