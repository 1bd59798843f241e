-- One item by its key, after as many seconds as the caller says.
SELECT id, title FROM item, pg_sleep(:seconds) WHERE id = :id;
