SELECT U&"set\005fconfig"('app.user', 'ann', false)
