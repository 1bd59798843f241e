-- Twenty parameters of four types.
SELECT
  :t1::text AS t1, :t2::text AS t2, :t3::text AS t3, :t4::text AS t4, :t5::text AS t5,
  :i1::int4 AS i1, :i2::int4 AS i2, :i3::int4 AS i3, :i4::int4 AS i4, :i5::int4 AS i5,
  :f1::float8 AS f1, :f2::float8 AS f2, :f3::float8 AS f3, :f4::float8 AS f4, :f5::float8 AS f5,
  :b1::bool AS b1, :b2::bool AS b2, :b3::bool AS b3, :b4::bool AS b4, :b5::bool AS b5;
