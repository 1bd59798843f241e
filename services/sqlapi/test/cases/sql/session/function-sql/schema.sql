CREATE FUNCTION f() RETURNS text LANGUAGE sql AS $$ SELECT set_config('app.user', 'ann', false) $$
