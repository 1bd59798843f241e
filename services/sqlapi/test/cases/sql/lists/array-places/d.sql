UPDATE t SET tags = ARRAY[:tags] WHERE id = 1 AND :tags::text IS NOT NULL RETURNING tags
