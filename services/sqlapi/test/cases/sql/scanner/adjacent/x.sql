SELECT(:a+:b)AS total,:c||':a'AS text,-:a AS minus,:a*:b AS product,CASE WHEN :a=1 THEN 2 ELSE 3 END AS pick
