-- @transactional
SET LOCAL TIME ZONE 'Asia/Kolkata';
SELECT '2026-01-01T12:00:00Z'::timestamptz AS moment