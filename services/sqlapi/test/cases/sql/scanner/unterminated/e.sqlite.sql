SELECT [open
