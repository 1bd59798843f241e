SELECT * FROM nowhere WHERE a = :a
