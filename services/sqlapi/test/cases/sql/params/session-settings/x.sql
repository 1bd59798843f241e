SELECT current_setting('TimeZone') AS zone, current_setting('DateStyle') LIKE 'ISO%' AS iso, current_setting('client_encoding') AS encoding
