SELECT coalesce(current_setting('app.user', true), '') AS who
