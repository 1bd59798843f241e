SELECT :a + :b AS total
