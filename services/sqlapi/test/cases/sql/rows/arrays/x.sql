SELECT ARRAY[true, NULL, false] AS bools, ARRAY[1, NULL]::int2[] AS smalls, ARRAY[1, 2] AS ints, ARRAY[9007199254740993, NULL] AS bigs, ARRAY[1]::oid[] AS oids,
       ARRAY[1.5, 'NaN', '-Infinity', NULL]::float4[] AS singles, ARRAY[0.1, 'Infinity']::float8[] AS doubles, ARRAY[1.10, 'NaN', NULL]::numeric[] AS numerics,
       ARRAY['a', NULL, '', 'NULL', 'null', 'a,b', '{x}', 'q"q', 'b\b', ' s ', 'é😀'] AS texts, ARRAY['v']::varchar[] AS vars, ARRAY['ab']::char(3)[] AS padded, ARRAY['n']::name[] AS names, ARRAY['c']::"char"[] AS letters,
       ARRAY['{"b": 1.10, "a": "x,y"}', 'null', NULL]::json[] AS jsons, ARRAY['[1, "two"]']::jsonb[] AS jsonbs
