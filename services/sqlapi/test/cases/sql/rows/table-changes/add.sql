ALTER TABLE t ADD COLUMN extra_one text DEFAULT 'x'
