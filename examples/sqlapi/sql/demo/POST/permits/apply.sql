-- POST /demo/permits/apply; many at once, all or none: POST /demo/permits/apply/batch {"queries": [{..}, {..}]}
-- @summary Apply for a permit
-- @param applicantName string -- Who wants to build
-- @param siteAddress string -- Where
-- @param floorArea number -- In square metres
INSERT INTO permit (applicant_name, site_address, floor_area)
VALUES (:applicantName, :siteAddress, :floorArea)
RETURNING permit_id, status, submitted_on
