SELECT * FROM nowhere
