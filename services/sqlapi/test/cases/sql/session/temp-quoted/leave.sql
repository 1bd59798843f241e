CREATE TABLE "pg_temp".scratch (id int)
