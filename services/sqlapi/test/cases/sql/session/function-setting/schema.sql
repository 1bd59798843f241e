CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('app.user', 'ann', false); RETURN 1; END $$
