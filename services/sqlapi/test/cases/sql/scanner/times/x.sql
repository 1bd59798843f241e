SELECT to_char('2026-07-01 10:20:30'::timestamp, 'HH24:MI:SS') AS at, '10:20'::time AS clock, '{"a:b": ":c"}'::jsonb AS j, jsonb_path_query_first('{"a": 1}'::jsonb, '$.a') AS p
