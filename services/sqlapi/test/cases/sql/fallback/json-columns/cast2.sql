SELECT CAST(:x AS json) AS k
