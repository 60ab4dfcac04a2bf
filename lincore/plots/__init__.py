"""Plotly figures of results and fitted models; each carries its finding as text.

The text alternative of a figure is plain text at ``figure.layout.meta["alt"]``. Figures of views
that are given the same `Frame` have the same ranges and scales.
"""

from __future__ import annotations

from lincore.plots.ambiguity import ambiguity
from lincore.plots.balance import class_balance
from lincore.plots.boundary import boundary
from lincore.plots.coefficients import coefficients, odds_ratios
from lincore.plots.components import biplot, reconstructions, weight_images
from lincore.plots.confusion import confusion
from lincore.plots.confusion_difference import confusion_difference
from lincore.plots.contour import contour
from lincore.plots.convergence import convergence, error_curves
from lincore.plots.correlation import correlation_matrix
from lincore.plots.direction import direction_histogram
from lincore.plots.distribution import box_plot, densities, histogram, share_bars
from lincore.plots.forest import pairwise_effects, score_intervals
from lincore.plots.frame import Frame
from lincore.plots.gallery import images
from lincore.plots.heat import recall_change, recall_map
from lincore.plots.multiples import small_multiples
from lincore.plots.rates import Curve, precision_recall, roc
from lincore.plots.reliability import Reliability, calibration
from lincore.plots.scatter import scatter
from lincore.plots.scatter_3d import scatter_3d
from lincore.plots.surface import surface
from lincore.plots.sweeps import sweep
from lincore.plots.times import seconds_and_score
from lincore.plots.variance import scree, vector_shares
from lincore.plots.waterfall import remedies, waterfall

__all__ = [
    "correlation_matrix",
    "share_bars",
    "histogram",
    "densities",
    "box_plot",
    "Curve",
    "Frame",
    "Reliability",
    "ambiguity",
    "biplot",
    "boundary",
    "calibration",
    "class_balance",
    "coefficients",
    "confusion",
    "confusion_difference",
    "contour",
    "convergence",
    "direction_histogram",
    "error_curves",
    "images",
    "odds_ratios",
    "pairwise_effects",
    "precision_recall",
    "recall_change",
    "recall_map",
    "reconstructions",
    "remedies",
    "roc",
    "scatter",
    "scatter_3d",
    "score_intervals",
    "scree",
    "seconds_and_score",
    "small_multiples",
    "surface",
    "sweep",
    "vector_shares",
    "waterfall",
    "weight_images",
]
