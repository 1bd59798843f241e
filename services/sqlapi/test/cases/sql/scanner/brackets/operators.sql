SELECT ARRAY[:u BETWEEN :v AND 'm', 'a%' LIKE :u ESCAPE :e, :u IS DISTINCT FROM :v, 'x' OPERATOR(pg_catalog.=) :u] AS r
