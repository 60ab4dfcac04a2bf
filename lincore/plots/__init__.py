"""Plotly figures of results and fitted models; each carries its finding as text.

The text alternative of a figure is plain text at ``figure.layout.meta["alt"]``.
"""

from __future__ import annotations

from lincore.plots.balance import class_balance
from lincore.plots.boundary import boundary
from lincore.plots.confusion import confusion
from lincore.plots.contour import contour
from lincore.plots.gallery import images
from lincore.plots.scatter import scatter
from lincore.plots.surface import surface
from lincore.plots.variance import scree

__all__ = [
    "boundary",
    "class_balance",
    "confusion",
    "contour",
    "images",
    "scatter",
    "scree",
    "surface",
]
