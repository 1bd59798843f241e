DO $$ DECLARE n int := 1; BEGIN INSERT INTO t VALUES (n, ':no'); n := n + 1; IF n > 1 THEN INSERT INTO t VALUES (n, 'b'); END IF; END $$;
SELECT count(*) AS n FROM t WHERE id >= :x;
DELETE FROM t WHERE id > 0
