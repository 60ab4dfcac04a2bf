"""How logistic regression is minimised, and what is known of its minimum."""
