"""Lines of a text table that do not fit: found, mended where that is certain, else reported."""
