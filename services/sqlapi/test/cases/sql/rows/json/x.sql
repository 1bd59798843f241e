SELECT '{"b": 1.10, "a": [1e5, null, 9007199254740993], "c_d": {"1": "x", "0": true}}'::json AS plain,
       '{"b": 1.10, "a": 9007199254740993}'::jsonb AS binary, 'null'::jsonb AS null_value, '"text"'::json AS text, '12.50'::jsonb AS number, NULL::json AS none, '[]'::jsonb AS list
