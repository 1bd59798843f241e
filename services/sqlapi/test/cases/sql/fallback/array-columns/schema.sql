CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE t (texts text[], vars varchar(5)[], ints int4[], bigs int8[], numerics numeric[], floats float4[], bools bool[], days date[], uuids uuid[], moods mood[], jsons jsonb[], grid int4[])
