CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE format('%s temp table scratch (id int)', 'create'); RETURN 1; END $$
