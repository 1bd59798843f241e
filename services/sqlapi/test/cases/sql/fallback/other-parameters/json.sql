SELECT jsonb_build_array(:a, :b, :c) AS built FROM t WHERE id = :id AND n = :n
