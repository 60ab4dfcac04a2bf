"""Plotly figures of results and fitted models; each carries its finding as text.

The text alternative of a figure is plain text at ``figure.layout.meta["alt"]``. Figures of views
that are given the same `SharedAxes` have the same ranges and scales.
"""

import lazy_loader

# The names listed in `__init__.pyi`, each imported on first access.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
