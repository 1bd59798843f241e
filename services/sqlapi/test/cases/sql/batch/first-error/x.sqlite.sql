SELECT json(:n) AS n, date(:d) AS d
