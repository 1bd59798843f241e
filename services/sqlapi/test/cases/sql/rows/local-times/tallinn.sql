SET TIME ZONE 'Europe/Tallinn';
SELECT '2026-01-01T00:00:00+02'::timestamptz AS winter, :summer::timestamptz AS summer,
  ARRAY['2026-07-01T12:00:00Z', 'infinity', NULL]::timestamptz[] AS list, '2026-01-01 00:00'::timestamp AS local,
  '0044-03-15 10:00:00+02 BC'::timestamptz AS ides, to_jsonb('2026-01-01T00:00:00Z'::timestamptz) AS json,
  timetz '10:20:30+02' AS of_day, tstzrange('2026-01-01T00:00:00Z', NULL) AS range
