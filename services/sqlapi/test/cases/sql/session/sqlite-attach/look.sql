SELECT count(*) AS n FROM pragma_database_list WHERE name = 'other'
