SET TimeZone = 'Europe/Tallinn'
