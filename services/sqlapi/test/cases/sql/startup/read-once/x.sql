this is no SQL
