/* nothing
 :x */ ;; -- :y
