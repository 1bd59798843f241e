SELECT value FROM jsonb_array_elements_text(:x) AS value
