"""Curves of one class against the rest: rates, calibration, net benefit."""
