-- Adds a note.
INSERT INTO note (author_id, content) VALUES (:author_id, :content) RETURNING author_id, content;
