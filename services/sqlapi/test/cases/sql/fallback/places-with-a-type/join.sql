SELECT 'v' || :x AS joined
