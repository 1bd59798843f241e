SELECT nothing FROM t
