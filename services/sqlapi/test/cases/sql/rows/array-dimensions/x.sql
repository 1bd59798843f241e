SELECT '{{1,2},{3,NULL}}'::int4[] AS two, '{{{"a"},{"b,c"}}}'::text[] AS three, '{}'::int4[] AS none, '{}'::text[] AS no_text, '[0:1]={1,2}'::int4[] AS bounds,
       '[2:3][-1:0]={{a,b},{c,d}}'::text[] AS both, ARRAY[]::jsonb[] AS no_json, NULL::int4[] AS missing, ARRAY[NULL]::text[] AS one_null, ARRAY[ARRAY['2026-01-01 00:00+00'::timestamptz]] AS nested
