NOTIFY news, 'x'
