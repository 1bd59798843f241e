INSERT INTO t (moods) VALUES (:x) RETURNING moods
