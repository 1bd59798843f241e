SELECT :x::jsonb AS j
