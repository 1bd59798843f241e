SELECT id FROM t WHERE id
  Not /* out */ In -- the list
  ( /* here */ :xs -- end )
  ) ORDER BY id
