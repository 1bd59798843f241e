SELECT '2026-07-01'::date::text <> '2026-07-01' AS left_over
