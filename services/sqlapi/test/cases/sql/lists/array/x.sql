SELECT ARRAY[:xs] AS xs, pg_typeof(ARRAY[:xs])::text AS type
