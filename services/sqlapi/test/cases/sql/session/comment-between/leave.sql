SET/**/statement_timeout/**/=/**/54321
