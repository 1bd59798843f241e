SELECT length(:x) AS n, upper(:x) AS up
