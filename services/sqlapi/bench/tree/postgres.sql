-- Data of the PostgreSQL scenarios. answers.ts knows the same formulas.

CREATE TABLE item (
  id int4 PRIMARY KEY,
  owner_id int8 NOT NULL,
  title text NOT NULL,
  is_active bool NOT NULL,
  created_at timestamptz NOT NULL,
  unit_price numeric(12, 2),
  score float8 NOT NULL,
  details jsonb NOT NULL
);

INSERT INTO item
SELECT
  n,
  9007199254740993 + n,
  'Item "' || n || '" õunapuu',
  n % 3 = 0,
  timestamptz '2026-01-01 00:00:00Z' + n * interval '1 minute',
  CASE WHEN n % 10 <> 0 THEN n + 0.50 END,
  n / 8.0,
  jsonb_build_object('tags', jsonb_build_array('a', n), 'note', null)
FROM generate_series(1, 10000) AS n;

CREATE TABLE note (
  id int8 GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  author_id int4 NOT NULL,
  content text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

ANALYZE;
