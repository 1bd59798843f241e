SELECT 'é' <> U&'\00e9' OR current_setting('client_encoding') <> 'UTF8' AS left_over
