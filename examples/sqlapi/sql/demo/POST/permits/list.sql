-- Permits in any of the given states: POST /demo/permits/list {"statuses": ["submitted", "granted"]}
SELECT permit_id, applicant_name, site_address, status
FROM permit
WHERE status IN (:statuses)
ORDER BY permit_id
