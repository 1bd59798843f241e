-- @transactional
DROP TABLE IF EXISTS fresh;
CREATE TABLE fresh (id int, other_text text);
INSERT INTO fresh VALUES (:id, :note);
SELECT * FROM fresh
