SELECT set_config('app.user', :user, false);
INSERT INTO t VALUES (1, current_setting('app.user'))
