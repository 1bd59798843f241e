-- Names, by id.
SELECT id, name AS "user name" /* not :that */ FROM t
WHERE id IN (:ids) AND name <> ';:x' ORDER BY id LIMIT :n;
