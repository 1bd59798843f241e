SELECT current_setting('app.user', true) IS NOT DISTINCT FROM 'ann' OR to_regclass('scratch') IS NOT NULL AS left_over
