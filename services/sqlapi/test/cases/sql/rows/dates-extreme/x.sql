SELECT 'infinity'::date AS day, '-infinity'::date AS first, 'infinity'::timestamp AS moment, '-infinity'::timestamptz AS utc,
       '0044-03-15 BC'::date AS ides, '0044-03-15 10:00:00 BC'::timestamp AS ides_moment, '0044-03-15 10:00:00+00 BC'::timestamptz AS ides_utc,
       '12026-01-01'::date AS far, '12026-01-01 00:00:00+00'::timestamptz AS far_utc, '24:00:00'::time AS midnight, 'infinity'::interval AS forever
