-- GET /demo/permit?permitId=1
-- @summary One permit with its decision
-- @param permitId integer -- Number of the permit
-- @result floorArea In square metres
SELECT
  p.permit_id,
  p.applicant_name,
  p.site_address,
  p.floor_area,
  p.status,
  p.submitted_on,
  d.reason AS decision_reason,
  d.decided_on
FROM permit p
LEFT JOIN decision d ON d.permit_id = p.permit_id
WHERE p.permit_id = CAST(:permitId AS integer)
