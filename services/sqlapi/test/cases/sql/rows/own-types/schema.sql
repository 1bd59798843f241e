CREATE TYPE mood AS ENUM ('sad', 'so_so', 'happy');
CREATE DOMAIN amount AS numeric CHECK (VALUE >= 0);
CREATE DOMAIN counter AS int8;
CREATE DOMAIN small_counter AS counter;
CREATE DOMAIN flag AS bool;
CREATE DOMAIN flags AS bool[];
CREATE DOMAIN doc AS jsonb;
CREATE DOMAIN moment AS timestamptz;
CREATE TYPE pair AS (a int, b text);
CREATE TYPE tickrange AS RANGE (subtype = timestamptz)
