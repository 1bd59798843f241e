SELECT id FROM t WHERE tags @> :xs ORDER BY id
