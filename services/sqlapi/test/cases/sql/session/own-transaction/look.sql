SELECT pg_current_xact_id_if_assigned() IS NOT NULL AS left_over
