SELECT count(*) > 0 AS left_over FROM pg_listening_channels()
