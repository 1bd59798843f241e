-- @transactional
INSERT INTO t VALUES (1);
COMMIT;
SET statement_timeout = 54321;
BEGIN;
INSERT INTO t VALUES (2)
