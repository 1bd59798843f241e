SELECT 1 AS n /* closed */,
  'never ; :closed
