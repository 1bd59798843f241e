CREATE TABLE other (a int)
