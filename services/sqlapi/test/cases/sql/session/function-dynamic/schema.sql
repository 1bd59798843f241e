CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'se' || 't statement_timeout = 54321'; RETURN 1; END $$
