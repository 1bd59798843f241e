SELECT ':no' AS a, 'it''s :no; really' AS b, '-- :no' AS c, '/* :no' AS d, :x AS x, '*/' AS e, '' AS f, ':x' || ':x' AS g, 'a
b;:no' AS h
