SELECT count(*) AS n FROM sqlite_temp_master
