ATTACH ':memory:' AS other
