SELECT json_object('a':v, 'b': :v, 'c' : true, 'd':E'\'', 'e' VALUE :v) AS j
