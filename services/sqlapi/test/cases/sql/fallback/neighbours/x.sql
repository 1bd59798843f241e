SELECT :a + :b AS total FROM t WHERE id = :id
