-- Holds its connection for a second.
SELECT true AS done FROM pg_sleep(1);
