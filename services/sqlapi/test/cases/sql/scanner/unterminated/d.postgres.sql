SELECT $$open
