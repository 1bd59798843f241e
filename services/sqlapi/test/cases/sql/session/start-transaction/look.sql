SELECT current_setting('transaction_read_only') = 'on' AS left_over
