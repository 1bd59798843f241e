SELECT value, type FROM json_each(:x)
