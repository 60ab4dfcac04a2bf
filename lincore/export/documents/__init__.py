"""Reports as HTML, and their tables and figures as data."""
