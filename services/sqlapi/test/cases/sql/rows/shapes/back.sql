UPDATE t SET user_name = upper(user_name) RETURNING id, user_name
