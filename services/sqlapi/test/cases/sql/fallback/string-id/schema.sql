CREATE TABLE item (id int, big int8, small int2, name text); INSERT INTO item VALUES (1, 9007199254740993, 7, 'a'), (2, 2, 8, 'b')
