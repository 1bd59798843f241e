DO $$ BEGIN PERFORM set_config('app.user', 'ann', false); EXECUTE 'CREATE TEMP TABLE scratch (id int)'; END $$
