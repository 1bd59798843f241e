SELECT 123456789012345678901234567890.1234567890::numeric AS long, 1.10::numeric AS scale, 0::numeric AS zero, -5::numeric(10,2) AS two,
       'NaN'::numeric AS nan, 'Infinity'::numeric AS inf, '-Infinity'::numeric AS neg, NULL::numeric AS none, sum(x) AS total
FROM (VALUES (1::int8), (2)) AS v (x)
