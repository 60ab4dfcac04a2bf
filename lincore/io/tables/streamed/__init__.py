"""Tables larger than memory: sampled rows, and moments of all rows."""
