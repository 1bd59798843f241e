INSERT INTO t SELECT * FROM unnest(:ids, :names, :prices, :oks) RETURNING *
