"""Scripts and notebooks that print every number of a page."""
