"""Plotly figures of results and fitted models; each carries its finding as text.

The text alternative of a figure is plain text at ``figure.layout.meta["alt"]``. Figures of views
that are given the same `Frame` have the same ranges and scales.
"""

from __future__ import annotations

from lincore.plots.data.class_balance import class_balance
from lincore.plots.data.contact_sheet import images
from lincore.plots.data.correlation import correlation_matrix
from lincore.plots.data.distribution import box_plot, densities, histogram, share_bars
from lincore.plots.model.coefficients import coefficients, odds_ratios
from lincore.plots.model.components import biplot, reconstructions, weight_images
from lincore.plots.model.convergence import convergence, error_curves
from lincore.plots.model.direction import direction_histogram
from lincore.plots.model.explained_variance import scree, vector_shares
from lincore.plots.plane.ambiguity import ambiguity
from lincore.plots.plane.boundary import boundary
from lincore.plots.plane.contour import contour
from lincore.plots.plane.scatter import scatter
from lincore.plots.plane.scatter_3d import scatter_3d
from lincore.plots.plane.shared_axes import Frame
from lincore.plots.plane.small_multiples import small_multiples
from lincore.plots.plane.surface import surface
from lincore.plots.scores.calibration import Reliability, calibration
from lincore.plots.scores.confusion import confusion
from lincore.plots.scores.confusion_difference import confusion_difference
from lincore.plots.scores.fit_times import seconds_and_score
from lincore.plots.scores.intervals import pairwise_effects, score_intervals
from lincore.plots.scores.recall_map import recall_change, recall_map
from lincore.plots.scores.roc import Curve, precision_recall, roc
from lincore.plots.scores.sweeps import sweep
from lincore.plots.scores.waterfall import remedies, waterfall

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
