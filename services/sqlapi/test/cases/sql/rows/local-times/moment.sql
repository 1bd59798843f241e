SELECT set_config('TimeZone', :zone, true);
SELECT '2026-01-01T12:00:00Z'::timestamptz AS moment
