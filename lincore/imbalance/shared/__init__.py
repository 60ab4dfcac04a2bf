"""Studies and sweeps of class sizes from the moments of sites that keep their rows."""
