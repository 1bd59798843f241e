SELECT pg_advisory_lock(7), 1 / 0
