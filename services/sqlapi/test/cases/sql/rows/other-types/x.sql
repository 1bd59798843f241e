SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid AS uuid, '10.1.2.3/8'::inet AS inet, '10.0.0.0/8'::cidr AS cidr,
       '08:00:2b:01:02:03'::macaddr AS mac, '08:00:2b:01:02:03:04:05'::macaddr8 AS mac8, '\x00ff'::bytea AS bytes, B'101'::bit(3) AS bits, B'1'::varbit AS varbits,
       '$1,000.50'::money AS money, '(1,2)'::point AS point, '(3,4),(1,2)'::box AS box, '[1,5)'::int4range AS range, '{[1,3),[5,7)}'::int4multirange AS ranges,
       to_tsvector('simple', 'b a') AS vector, 'a & b'::tsquery AS query, 'x'::"char" AS letter, 'pg_class'::name AS name, 'pg_class'::regclass AS class,
       '1 2'::int2vector AS vec, '1 2'::oidvector AS oids, '0/16B3748'::pg_lsn AS lsn, '$.a'::jsonpath AS path, 'ab'::char(4) AS padded, 'v'::varchar AS var, '' AS empty, 'tab	 "quote" \ é 😀' AS odd
