CREATE OR REPLACE FUNCTION f(a int) RETURNS int LANGUAGE plpgsql AS $body$
BEGIN
  -- it's :no
  RETURN a + 1;
END;
$body$;
SELECT f(:x::int) AS n
