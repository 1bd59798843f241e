SELECT 1 / :n AS n
