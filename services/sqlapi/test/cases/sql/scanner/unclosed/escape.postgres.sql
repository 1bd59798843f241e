SELECT 1,

E'a\'