-- @summary Permits in any of the given states
-- @param statuses string[] -- One or more
-- @enum statuses submitted, granted, refused
-- POST /demo/permits/list {"statuses": ["submitted", "granted"]}
SELECT permit_id, applicant_name, site_address, status
FROM permit
WHERE status IN (:statuses)
ORDER BY permit_id
