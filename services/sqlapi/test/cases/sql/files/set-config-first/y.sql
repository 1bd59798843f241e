SELECT set_config('app.user', :user, false);
DELETE FROM t RETURNING made_by
