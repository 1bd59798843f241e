WITH new AS (SELECT :id::int AS id, :d::date AS d) INSERT INTO t (id, d) SELECT * FROM new RETURNING d
