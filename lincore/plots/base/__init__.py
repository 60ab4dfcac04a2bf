"""Style, colours and sentences that all figures share."""
