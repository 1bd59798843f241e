SELECT U&"open
