SELECT 'so_so'::mood AS mood, 1.50::amount AS amount, 9007199254740993::counter AS counter, 2::small_counter AS small_counter, true::flag AS flag,
       ARRAY[true, NULL]::flags AS flags, '{"a": 1}'::doc AS doc, '2026-01-01 00:00:00+00'::moment AS moment, ROW(1, 'x,y')::pair AS pair, tickrange('2026-01-01', '2026-01-02') AS ticks
