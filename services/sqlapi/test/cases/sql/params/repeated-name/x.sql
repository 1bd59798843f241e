SELECT CAST(:a AS text) AS one, CAST(:b AS text) AS two, CAST(:a AS text) AS three
