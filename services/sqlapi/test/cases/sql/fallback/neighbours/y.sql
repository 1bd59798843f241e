SELECT abs(:a) AS a, date '2026-07-01' + :n::int AS day FROM t WHERE id = :id
