SELECT pg_try_advisory_lock(7) AS locked
