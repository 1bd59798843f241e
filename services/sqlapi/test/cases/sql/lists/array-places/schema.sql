CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE TABLE t (id int, tags text[], moods mood[], us uuid[], js jsonb[]); INSERT INTO t VALUES (1, '{a,b}', '{sad}', NULL, NULL)
