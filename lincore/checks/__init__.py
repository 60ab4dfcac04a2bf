"""Checks of data and models, each a finding with a verdict."""
