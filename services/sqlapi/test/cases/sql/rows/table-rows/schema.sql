CREATE DOMAIN email AS text; CREATE TYPE address AS (street text, mail email); CREATE TABLE person (id int, home address, homes address[])
