PRAGMA case_sensitive_like = 1
