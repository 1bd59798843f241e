DROP TABLE IF EXISTS fresh;
CREATE TABLE fresh (id int, note_text text);
INSERT INTO fresh VALUES (:id, :note);
SELECT * FROM fresh
