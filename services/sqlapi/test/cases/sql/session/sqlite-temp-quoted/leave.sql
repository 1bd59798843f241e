CREATE TABLE "temp".scratch (id int)
