SELECT '2026-07-01'::date AS day, '10:20:30.5'::time AS at, '10:20:30+02'::timetz AS zoned, '2026-01-01 10:20:30.123456'::timestamp AS moment,
       '2026-01-01 10:20:30'::timestamp AS whole, '2026-01-01 10:20:30.123456+02'::timestamptz AS utc, '2026-06-15 23:00:00-05:30'::timestamptz AS next,
       '1 day 02:03:04'::interval AS span, NULL::date AS none
