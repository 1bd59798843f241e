SELECT round(:f, 1) AS rounded, id = :f AS is_one FROM item WHERE id = 1
