SELECT /* a /* :no */ 1 AS one, :x AS x
