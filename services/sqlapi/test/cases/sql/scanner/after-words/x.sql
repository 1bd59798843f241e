Select:a AS first, CASE WHEN:a IN(:xs)THEN:b ELSE:a END AS second,
  (SELECT:n) AS third
LIMIT:n OFFSET:none
