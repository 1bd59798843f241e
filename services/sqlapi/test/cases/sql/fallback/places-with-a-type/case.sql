SELECT CASE WHEN :flag THEN 'yes' ELSE 'no' END AS answer
