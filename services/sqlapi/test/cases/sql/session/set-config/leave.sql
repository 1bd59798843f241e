SELECT set_config('app.user', 'ann', false)
