SELECT 'one'::int + :x AS r
