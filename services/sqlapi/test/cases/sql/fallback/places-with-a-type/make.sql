SELECT make_date(:y, :m, :d) AS day
