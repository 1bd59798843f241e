-- @transactional
DELETE FROM t;
INSERT INTO t VALUES (pg_current_xact_id());
INSERT INTO t VALUES (pg_current_xact_id());
SELECT count(DISTINCT x) AS n FROM t
