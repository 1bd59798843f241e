SELECT "open
