"""The state of a session, its data sources, its caches and its sidebar."""
