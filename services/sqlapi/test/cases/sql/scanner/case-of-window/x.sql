SELECT (:xs::int[])[1] AS first, (:xs::int[])[2:3] AS rest, (:xs::int[])[:n] AS nth, ARRAY[[1, :n], [3, 4]] AS grid, (ARRAY[1, 2, 3])[:n:3] AS tail, (ARRAY[1, 2, 3])[1:2] AS head
