SELECT make_interval(days := :n, hours => 2) AS span
