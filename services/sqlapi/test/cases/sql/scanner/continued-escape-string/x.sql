SELECT E'a'
  'b\':no;' AS a, :x AS x
