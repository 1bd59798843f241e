-- @param n integer default 7 -- A number
-- @param b boolean
-- @param d date
SELECT :n AS n, :d AS d WHERE :b OR NOT :b
