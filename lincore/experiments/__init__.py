"""Honest experiments: pipelines fitted on training rows alone, and what they score elsewhere."""
