SET search_path = other
