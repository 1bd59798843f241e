-- @summary What the database takes for today
SELECT CURRENT_DATE AS today
