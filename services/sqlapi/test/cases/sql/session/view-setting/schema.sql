CREATE VIEW v AS SELECT set_config('app.user', 'ann', false) AS who
