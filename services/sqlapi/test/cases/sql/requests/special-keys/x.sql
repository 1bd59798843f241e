SELECT :__proto__ AS a, :constructor AS b, :toString AS c, :hasOwnProperty AS d
