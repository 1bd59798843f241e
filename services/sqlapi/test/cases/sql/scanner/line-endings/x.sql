SELECT 1 AS one -- :no
, :x AS x
-- :no
