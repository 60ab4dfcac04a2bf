"""Standardising, PCA, truncated SVD, basis functions, gradients of images, tabular columns."""

import lazy_loader

# The names that `__init__.pyi` lists, each imported when it is first asked for.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
