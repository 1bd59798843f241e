UPDATE t SET d = :d, n = coalesce(:n, n), tags = :tags WHERE id = :id RETURNING d, n, tags
