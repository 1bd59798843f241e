-- Data of the SQLite scenarios. answers.ts knows the same formulas.

CREATE TABLE item (
  id INTEGER PRIMARY KEY,
  title TEXT NOT NULL,
  is_active BOOLEAN NOT NULL,
  created_at TEXT NOT NULL
);

INSERT INTO item
WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000)
SELECT
  n,
  'Item "' || n || '" õunapuu',
  n % 3 = 0,
  strftime('%Y-%m-%dT%H:%M:%SZ', '2026-01-01', n || ' minutes')
FROM numbers;

CREATE TABLE note (
  id INTEGER PRIMARY KEY,
  author_id INTEGER NOT NULL,
  content TEXT NOT NULL,
  created_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
