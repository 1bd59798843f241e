SELECT json_object('a' : 1, 'b': :x) AS j, json_object('k': :x ABSENT ON NULL) AS k
