CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ BEGIN SET statement_timeout = 54321; RETURN 1; END $$
