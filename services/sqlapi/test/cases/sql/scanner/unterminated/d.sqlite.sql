SELECT `open
