CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN PERFORM set_config('app.user', 'ann', false); COMMIT; END $$
