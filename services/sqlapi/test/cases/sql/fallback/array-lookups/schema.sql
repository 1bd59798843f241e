CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE t (id int, u uuid, e mood, d date, n numeric, tags varchar[], c char(2));
INSERT INTO t VALUES (1, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', 'sad', '2026-07-01', 1.5, '{a,b}', 'x'), (2, NULL, 'happy', '2026-07-02', 2, '{c}', 'y')
