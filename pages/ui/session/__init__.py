"""The analysis of a session: its data, its choices, its link and its workspace."""
