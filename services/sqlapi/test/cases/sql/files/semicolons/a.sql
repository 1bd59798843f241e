;;SELECT 1 AS a;;  ; -- end
;
