SELECT 1 AS one /* to the end ; :no
