-- GET /demo/permits/summary
-- @summary How many permits there are in each state
SELECT status, count(*) AS permit_count, min(submitted_on) AS oldest_submitted_on
FROM permit
GROUP BY status
ORDER BY status
