SELECT typeof(:x) AS type
