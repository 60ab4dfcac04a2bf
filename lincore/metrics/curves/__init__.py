"""Curves of one class against the rest, and operating points on them."""
