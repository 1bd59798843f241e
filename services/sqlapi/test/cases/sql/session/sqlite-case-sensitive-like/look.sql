SELECT 'A' LIKE 'a' AS is_alike
