SET client_encoding = 'LATIN1'
