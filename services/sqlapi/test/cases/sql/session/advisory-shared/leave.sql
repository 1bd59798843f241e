SELECT pg_advisory_lock_shared(7);
SELECT pg_catalog.pg_advisory_lock_shared(7)
