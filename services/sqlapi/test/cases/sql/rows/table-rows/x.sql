SELECT id, home, homes, home IS NULL AS homeless, person AS whole FROM person
