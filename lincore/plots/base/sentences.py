"""Findings of figures as sentences, computed from the plotted values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lincore.inspection.views import Quantity, View
from lincore.metrics.scores import SCORES
from lincore.plots.base.style import LEGEND_WIDTH, percent_ticks
from lincore.utils.formatting import capital, quoted, shorten

# Losses whose ratio exceeds this are drawn on a logarithmic axis.
MUCH = 100
TITLES = {
    "posterior": "Posterior probability",
    "density": "Prior × density",
    "score": "Margin between the two highest scores",
}
# Names of the values on axes and in hover texts.
UNITS = {"posterior": "posterior probability", "density": "prior × density", "score": "margin"}


def greater_is_better(score: str) -> bool:
    """Return whether larger values of a score are better; True for one that is not in `SCORES`."""
    return score not in SCORES or SCORES[score].greater_is_better


def score_axis(values: ArrayLike, score: str, as_percent: bool) -> dict[str, Any]:
    """Return the settings of the axis of a score: logarithmic if losses differ by much."""
    # The log loss of an overconfident model is unbounded: it would squeeze all others into a
    # line.
    numbers = np.asarray(values, dtype=float)
    if as_percent:
        return percent_ticks(numbers)
    settings: dict[str, Any] = {"tickformat": "~g"}
    if greater_is_better(score):
        return settings
    numbers = numbers[np.isfinite(numbers)]
    if numbers.size and numbers.min() > 0 and numbers.max() > MUCH * numbers.min():
        settings["type"] = "log"
    return settings


def join(*sentences: str) -> str:
    """Join the sentences that are not empty."""
    return " ".join(sentence for sentence in sentences if sentence)


def heading(labels: list[str], quantity: Quantity, focus: int | None) -> str:
    """Return the title of a plot of contours or curves."""
    title = TITLES[quantity]
    if quantity == "score":
        return title
    return f"{title} of {'each class' if focus is None else shorten(labels[focus], LEGEND_WIDTH)}"


def scope(view: View) -> str:
    """Describe the plane in a sentence; empty if it is the whole model."""
    return f"{capital(view.subject)}." if view.subject else ""


def closest(view: View, labels: list[str]) -> str:
    """Name the two closest classes, in standard deviations of these coordinates."""
    if view.densities is None:
        return ""
    distances = np.sqrt(view.densities.squared_distances(view.densities.means))
    distances = np.minimum(distances, distances.T)
    present = np.isfinite(distances) & ((view.priors > 0)[:, None] & (view.priors > 0))
    distances = np.where(np.triu(present, 1), distances, np.inf)
    if not np.isfinite(distances).any():
        return ""
    first, second = np.unravel_index(distances.argmin(), distances.shape)
    return (
        f"{quoted(labels[first])} and {quoted(labels[second])} lie closest, their means "
        f"{distances.min():.2g} standard deviations apart."
    )
