SELECT to_regclass('scratch') IS NOT NULL AS left_over
