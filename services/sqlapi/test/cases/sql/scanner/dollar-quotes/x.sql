SELECT $$:no; 'open$$ AS a, $tag$ $$ :no $other$ ; $tag$ AS b, :x AS x, $é$:no$é$ AS c, $_1$--$_1$ AS d, 1 AS a$b$c, $$$$ AS e, $A$ $a$ $A$ AS f
