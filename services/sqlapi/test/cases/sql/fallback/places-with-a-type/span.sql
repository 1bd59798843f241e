SELECT interval '1 day' * :n AS span
