/* /* */ SELECT :no; */ SELECT 2 AS two
