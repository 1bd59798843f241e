SELECT current_setting('default_transaction_read_only') = 'on' AS left_over
