SELECT lastval() IS NULL AS left_over
