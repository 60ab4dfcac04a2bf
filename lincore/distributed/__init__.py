"""Rows in partitions, read and summed by other processes or machines: moments, scores, fits."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
