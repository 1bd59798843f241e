WITH locked AS MATERIALIZED (SELECT pg_advisory_lock(7)) INSERT INTO t SELECT 1 FROM locked
