-- As many rows as are asked for.
SELECT n AS id, 'Item "' || n || '" õunapuu' AS title, n % 3 = 0 AS is_active, n / 8::float8 AS score
FROM generate_series(1, :rows::int4) AS n;
