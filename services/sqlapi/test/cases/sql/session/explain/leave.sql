EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) SELECT set_config('app.user', 'ann', false)
