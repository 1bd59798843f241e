SELECT :x AS x -- :no
