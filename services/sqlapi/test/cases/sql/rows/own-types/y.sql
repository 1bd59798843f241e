SELECT ARRAY['sad', NULL, 'happy']::mood[] AS moods, ARRAY[1.50, 2]::amount[] AS amounts, ARRAY[1, NULL]::counter[] AS counters, ARRAY[3]::small_counter[] AS small_counters,
       ARRAY[true, false]::flag[] AS switches, ARRAY['{"a": 1}', NULL]::doc[] AS docs, ARRAY['2026-01-01 00:00:00+00']::moment[] AS moments, ARRAY[ROW(1, 'x')]::pair[] AS pairs
