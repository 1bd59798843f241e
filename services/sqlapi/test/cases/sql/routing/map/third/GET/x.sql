SELECT name FROM place
