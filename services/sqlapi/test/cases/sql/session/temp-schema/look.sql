SELECT to_regclass('pg_temp.scratch') IS NOT NULL AS left_over
