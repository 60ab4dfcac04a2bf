"""Journeys through the dashboard in a real Chromium, which ends with the last of them."""
