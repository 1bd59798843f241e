INSERT INTO t (tags, moods, us) VALUES (ARRAY[:tags], ARRAY[:moods]::mood[], ARRAY[:us]::uuid[]) RETURNING tags, moods, us
