-- The example's database: applications for building permits in one municipality.
-- `npm start` runs this once on a new SQLite file. PostgreSQL takes it as well, and counts keys up
-- with deploy/compose/postgres/keys.sql.

CREATE TABLE permit (
  permit_id      integer PRIMARY KEY,
  applicant_name text NOT NULL,
  site_address   text NOT NULL,
  floor_area     numeric(8, 2) NOT NULL CHECK (floor_area > 0),
  status         text NOT NULL DEFAULT 'submitted' CHECK (status IN ('submitted', 'granted', 'refused')),
  submitted_on   date NOT NULL DEFAULT CURRENT_DATE
);

-- One decision at most for each permit: the second one breaks the key.
CREATE TABLE decision (
  permit_id  integer PRIMARY KEY REFERENCES permit (permit_id),
  outcome    text NOT NULL,
  reason     text NOT NULL,
  decided_on date NOT NULL DEFAULT CURRENT_DATE
);

INSERT INTO permit (permit_id, applicant_name, site_address, floor_area, status, submitted_on) VALUES
  (1, 'Mari Tamm', '3 Harbour Street', 148.50, 'granted', '2026-02-11'),
  (2, 'Jaan Kask', '17 Mill Lane', 62.00, 'refused', '2026-03-02'),
  (3, 'Linda Saar', '8 School Road', 310.25, 'submitted', '2026-05-19'),
  (4, 'Peeter Rebane', '21 Market Square', 95.75, 'submitted', '2026-06-04');

INSERT INTO decision (permit_id, outcome, reason, decided_on) VALUES
  (1, 'granted', 'Conforms to the detailed plan', '2026-03-20'),
  (2, 'refused', 'Too close to the neighbouring plot', '2026-04-01');
