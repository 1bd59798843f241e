SELECT 1 AS n;

/* only
  a comment