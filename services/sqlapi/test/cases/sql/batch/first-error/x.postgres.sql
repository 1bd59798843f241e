SELECT 1 / :n AS n, :d::date AS d
