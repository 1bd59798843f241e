SELECT * FROM nowhere WHERE id = :id
