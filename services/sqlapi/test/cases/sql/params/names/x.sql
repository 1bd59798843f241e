SELECT :a AS one, :A AS two, :_a1 AS three, :a_B2_ AS four
