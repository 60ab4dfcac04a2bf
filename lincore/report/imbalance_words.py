"""Words and numbers shared by findings on an imbalance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.imbalance.cost.record import LOSS, ImbalanceCost
from lincore.metrics.scores import Interval
from lincore.utils.formatting import decimals, points, quoted, true_minus
from lincore.utils.typing import Array

#: Maximum number of costs listed in a sentence.
MOST_LISTED = 8
#: From this value, three digits are enough for an unbounded loss.
HUGE = 1000


def correction_name(name: str) -> str:
    """Return the display name of a correction.

    Parameters
    ----------
    name : str
        Name of a correction, or of any other condition.
    """
    return "balanced weights + corrected priors" if name == "both" else name


def format_loss(estimate: Interval, loss: str) -> str:
    """Write a loss, or a change of one, with its interval.

    Parameters
    ----------
    found : Interval
        In nats for the log loss, otherwise a share, which is written in per cent.
    loss : str
        "log loss", or the name of another one.

    Examples
    --------
    >>> format_loss(Interval(0.103, 0.081, 0.125), "error")
    '10.3 (8.1 to 12.5)'
    >>> format_loss(Interval(0.5, float("nan"), float("nan")), "log loss")
    '0.500'
    >>> format_loss(Interval(25408143.971, 976000.2, 49840287.7), "log loss")
    '2.54e+07 (9.76e+05 to 4.98e+07)'
    """
    if np.isnan(estimate.value):
        return "–"
    huge = loss == "log loss" and max(abs(estimate.value), abs(estimate.high)) >= HUGE

    def number(value: float) -> str:
        if huge:  # of an overconfident model
            return true_minus(f"{value:.3g}")
        # No plus sign, which begins a formula in a spreadsheet.
        return decimals(value) if loss == "log loss" else points(value)

    text = number(estimate.value)
    if np.isnan(estimate.low):
        return text
    return f"{text} ({number(estimate.low)} to {number(estimate.high)})"


def cost_ratio(ratio: float) -> str:
    """Write a ratio of costs to two digits.

    Examples
    --------
    >>> cost_ratio(5.3392), cost_ratio(21.85), cost_ratio(577.9), cost_ratio(3.0)
    ('5.3', '22', '578', '3')
    """
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def loss_name(cost: ImbalanceCost, loss: str) -> str:
    """Return the name of a loss; that of the first depends on prevalence and costs.

    Parameters
    ----------
    found : ImbalanceCost
    loss : str
        One of its losses.
    """
    if loss != LOSS:
        return loss
    return cost.loss_name if cost.costs is None else f"{cost.loss_name} of 100 rows"


def loss_in_words(loss: str) -> str:
    """Write the name of a loss in a sentence, with the label of its class quoted."""
    label = loss.removeprefix("recall of ")
    return loss if label == loss else f"recall of {quoted(label)}"


def after_splits(n: int, wanted: int) -> str:
    """Begin a sentence about the splits so far; "" after all of them."""
    return f"After {n} of {wanted} splits: " if n < wanted else ""


def recall_of_others(change: Interval) -> str:
    """Describe the change of the mean recall of the other classes; "" if there are none."""
    value, low, high = change
    if np.isnan(value):
        return ""
    if not value:
        return "the recall of the other classes is unchanged"
    if low <= 0 <= high:
        return "the recall of the other classes does not change beyond chance"
    verb, sign = ("lose", -1) if value < 0 else ("gain", 1)
    ends = sorted((sign * low, sign * high))
    text = f"the other classes {verb} {points(abs(value))} points of recall"
    return text if np.isnan(low) else f"{text} ({points(ends[0])} to {points(ends[1])})"


def choice_of(n: int, corrected: str, *, is_best: bool) -> str:
    """Report that a correction is the best, or another one, of several, and its corrected value."""
    if n < 2:
        return "the only correction on these rows"
    text = f"{'the best of' if is_best else 'chosen from'} {n} on these rows"
    return f"{text} ({corrected} corrected for the choice)" if corrected else text


def weights_in_sizes(counts: NDArray[np.intp], totals: Array) -> str:
    """Explain weights in a study; "" if rows have none."""
    if (counts == totals).all():
        return ""
    return " Rows are weighted; class sizes are numbers of rows."


def costs_in_words(costs: ArrayLike, classes: Sequence[object] | NDArray[Any]) -> str:
    """State the costs of errors that are not 1.

    Parameters
    ----------
    costs : array-like of shape (K, K)
        Cost of predicting the column's class for a row of the row's class.
    classes : K labels

    Examples
    --------
    >>> costs_in_words([[0, 1], [4.0, 0]], ["no", "yes"])
    "Costs: 4.0 for 'yes' predicted as 'no'; other errors cost 1."
    """
    table = np.asarray(costs, dtype=float)
    names = [quoted(label) for label in classes]
    unusual = [
        f"{table[i, j]} for {names[i]} predicted as {names[j]}"
        for i, j in zip(*np.nonzero(table != 1.0 - np.eye(len(table))), strict=True)
    ]
    if not unusual:
        return "All errors cost 1."
    more = ", …" if len(unusual) > MOST_LISTED else ""
    return f"Costs: {', '.join(unusual[:MOST_LISTED])}{more}; other errors cost 1."
