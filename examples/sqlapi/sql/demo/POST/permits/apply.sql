-- A new application: POST /demo/permits/apply
-- Many at once, all or none: POST /demo/permits/apply/batch {"queries": [{..}, {..}]}
INSERT INTO permit (applicant_name, site_address, floor_area)
VALUES (:applicantName, :siteAddress, :floorArea)
RETURNING permit_id, status, submitted_on
