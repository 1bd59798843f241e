SELECT current_setting('TimeZone') <> 'UTC' AS left_over
