SELECT set_config('role', 'pg_monitor', false)
