CREATE TABLE IF NOT EXISTS [temp].scratch (id int);
CREATE INDEX temp.i ON scratch (id)
