SELECT :toString AS one, :constructor AS two, :__proto__ AS three
