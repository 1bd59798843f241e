SELECT 'ä' AS a
