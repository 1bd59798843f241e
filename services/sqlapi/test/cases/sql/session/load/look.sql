SELECT false AS left_over
