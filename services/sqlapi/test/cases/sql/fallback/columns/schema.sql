CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE DOMAIN amount AS numeric(10,2);
CREATE TABLE t (id serial, d date, m timestamptz, at time, u uuid, e mood, n numeric, a amount, f float8, i int, b bool, j jsonb, k json, ip inet, span interval, bytes bytea, bits bit(3), r int4range, v varchar(5), c char(3), x xml, p point)
