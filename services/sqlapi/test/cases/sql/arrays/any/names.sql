SELECT id FROM t WHERE name <> ALL(:names) ORDER BY id
