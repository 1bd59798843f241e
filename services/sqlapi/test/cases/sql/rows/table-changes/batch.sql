-- @transactional
SELECT * FROM t
