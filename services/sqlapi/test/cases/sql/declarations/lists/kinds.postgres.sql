-- @param u uuid[]
-- @param t timestamp[]
-- @param n number[]
-- @param b boolean[]
-- @param j json[]
SELECT
  '0b8a2f6e-3c1d-4e5f-9a7b-6c5d4e3f2a1b'::uuid = ANY(:u) AS u,
  timestamptz '2026-01-31 14:00:00+02' = ANY(:t) AS t,
  1.5 = ANY(:n) AS n,
  true = ANY(:b) AS b,
  jsonb_array_length(:j) = 1 AS j
