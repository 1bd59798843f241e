SELECT /* a /* :no */ ; :no ' */ 1 AS one /*/**/*/, :x AS x
