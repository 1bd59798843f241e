SELECT json('{')
