CREATE TABLE t (who text DEFAULT set_config('app.user', 'ann', false))
