CREATE TABLE journal (id int);
CREATE TABLE item (id int, name text, code text, born date, tags jsonb);
INSERT INTO item VALUES (1, 'one', '11', '2026-01-01', '["a","b"]'), (2, 'two', '12', '2026-01-02', '["c","d"]')