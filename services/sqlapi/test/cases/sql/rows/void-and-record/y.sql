SELECT pg_sleep(0)
