RESET ALL;
SELECT current_setting('TimeZone') AS zone
