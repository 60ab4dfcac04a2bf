"""The cost curve in words, as a table and as a figure: from which cost of a miss balancing pays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lincore import plots
from lincore.imbalance.cost.curve import BALANCED, LINES, CostCurve
from lincore.imbalance.cost.record import ImbalanceCost
from lincore.metrics.intervals import Interval
from lincore.report.imbalance_tables import after_splits
from lincore.utils.formatting import percent, points, quoted

if TYPE_CHECKING:
    import plotly.graph_objects as go

#: Up to this class ratio classes are equally frequent.
EQUAL = 1.01
_NAMES = {"balanced": "balanced (equal priors)", "matched": "matched to the costs"}


def cost_ratio(ratio: float) -> str:
    """Write a ratio of costs to two digits.

    Examples
    --------
    >>> cost_ratio(5.3392), cost_ratio(21.85), cost_ratio(577.9), cost_ratio(3.0)
    ('5.3', '22', '578', '3')
    """
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def cost_condition(found: ImbalanceCost) -> str:
    """Describe the costs or class shares for which the losses hold.

    Examples
    --------
    >>> import lincore
    >>> data = lincore.sample("breast_cancer")
    >>> cost_condition(lincore.imbalance_cost(data, "lda", repeats=1))
    "a missed 'malignant' costs 1.7 false alarms"
    """
    ratios = found.ratios
    if len(found.classes) == 2:
        plural = "" if cost_ratio(ratios.asked) == "1" else "s"
        return f"a missed {_rare(found)} costs {cost_ratio(ratios.asked)} false alarm{plural}"
    if found.costs is not None:
        of_class = found.costs.max(axis=1)
        others = np.delete(of_class, ratios.rare)
        if (found.costs == (1 - np.eye(len(of_class))) * of_class[:, None]).all() and (
            others == 1
        ).all():
            return f"an error on {_rare(found)} costs {cost_ratio(of_class[ratios.rare])} others"
        return "errors have the given costs"
    if np.allclose(found.prevalence, 1 / len(found.classes)):
        return "all classes are equally frequent in deployment"
    return "class shares in deployment are the given ones"


def cost_curve_finding(found: ImbalanceCost, method: str) -> str:
    """State from which cost of a miss balancing pays, and its effect at two cost ratios."""
    curve = found.curves[method]
    if found.ratios.class_ratio <= EQUAL:
        error = percent(curve.cost("uncorrected", 1.0).value)
        return (
            "The classes of the file are equally frequent, so balancing changes nothing: "
            f"{found.settings.label(method)} has an error of {error}."
        )
    text = f"{_break_even(found, method, curve)} {_at_ratios(found, curve)}"
    before = after_splits(len(found.seeds), found.settings.repeats)
    return f"{before}{text[:1].lower()}{text[1:]}" if before else text


def _break_even(found: ImbalanceCost, method: str, curve: CostCurve) -> str:
    what, even = f"Balancing the priors of {found.settings.label(method)}", curve.break_even()
    miss, alarms = _miss(found)
    if np.isnan(even.value):
        return f"{what} misses no fewer rows of {_rare(found)}, so it never pays."
    if np.isinf(even.high):
        end = cost_ratio(curve.ratios[-1])
        return f"{what} does not significantly pay at any cost of {miss} up to {end} {alarms}."
    if even.value <= 1:
        return f"{what} pays even if {miss} costs no more than one of the {alarms}."
    text = f"{what} pays if {miss} costs more than {cost_ratio(even.value)} {alarms}"
    if np.isnan(even.low):
        return f"{text}."
    return f"{text} ({cost_ratio(even.low)} to {cost_ratio(even.high)})."


def _at_ratios(found: ImbalanceCost, curve: CostCurve) -> str:
    """State the effect of balancing on the cost at the chosen ratio, and on the error."""
    asked, harm = found.ratios.asked, curve.saving(1.0)
    text = ""
    if asked != 1:
        text = f"At {cost_ratio(asked)} to 1 it {_relative(curve.relative_saving(asked))}; "
    text += f"{'at' if text else 'At'} 1 to 1 it "
    if not harm.value:
        return f"{text}does not change the error."
    if harm.low <= 0 <= harm.high:
        return (
            f"{text}changes the error by {points(-harm.value, signed=True)} points, within chance."
        )
    verb = "raises" if harm.value < 0 else "lowers"
    return f"{text}{verb} the error by {points(abs(harm.value))} points."


def _relative(saving: Interval) -> str:
    value, low, high = saving
    if np.isnan(value):
        return "keeps the cost at zero"
    if low <= 0 <= high:
        ends = f"{points(-high, 0, signed=True)} to {points(-low, 0, signed=True)}"
        return f"changes the cost by {points(-value, 0, signed=True)} % ({ends})"
    verb = "lowers" if value > 0 else "raises"
    least, most = sorted((low, high)) if value > 0 else sorted((-low, -high))
    said = "" if np.isnan(low) else f" ({points(least, 0)} to {points(most, 0)})"
    return f"{verb} the cost by {points(abs(value), 0)} %{said}"


def cost_curve_rows(found: ImbalanceCost, method: str) -> tuple[dict[str, str], ...]:
    """Return the expected cost of a hundred rows at every ratio, by each decision.

    Parameters
    ----------
    found : ImbalanceCost
    method : str
        One of ``found.curves``.

    Returns
    -------
    tuple of dict
        Heading of a column to text; a false alarm costs one.
    """
    curve = found.curves[method]
    rows = []
    for ratio in curve.ratios:
        row = {"a miss costs": cost_ratio(ratio)}
        for line in LINES:
            row[line] = _per_hundred(curve.cost(line, ratio))
        row["balanced minus uncorrected"] = _per_hundred(_negative(curve.saving(ratio, BALANCED)))
        rows.append(row)
    return tuple(rows)


def cost_curve(found: ImbalanceCost, method: str) -> go.Figure:
    """Draw the cost curve of a model, with the break-even of balancing.

    Parameters
    ----------
    found : ImbalanceCost
    method : str
        One of ``found.curves``.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    curve, label = found.curves[method], found.settings.label(method)
    miss, alarms = _miss(found)
    even = curve.break_even()
    title = f"{label}: expected cost by the cost of {miss}"
    if even.value > 1 and even.high < np.inf:
        title = f"{label}: balancing pays from {cost_ratio(even.value)} to 1 on"
    n, wanted = len(found.seeds), found.settings.repeats
    basis = f"Bands: 95 % intervals over {n} splits" if n > 1 else "The first split"
    basis += f" of {wanted}" if 1 < n < wanted else ""
    return plots.cost_curve(
        curve.ratios,
        np.stack([curve.line(line) for line in LINES]),
        [_NAMES.get(line, line) for line in LINES],
        class_ratio=found.ratios.class_ratio,
        asked=found.ratios.asked,
        break_even=even,
        across=f"cost of {miss}, in {alarms}",
        title=title,
        basis=f"{basis}, at the class shares of the file.",
    )


def _miss(found: ImbalanceCost) -> tuple[str, str]:
    """Return the subject and the unit of the cost."""
    if len(found.classes) == 2:
        return f"a missed {_rare(found)}", "false alarms"
    return f"an error on {_rare(found)}", "other errors"


def _rare(found: ImbalanceCost) -> str:
    return quoted(found.classes[found.ratios.rare])


def _negative(value: Interval) -> Interval:
    return Interval(-value.value, -value.high, -value.low)


def _per_hundred(value: Interval) -> str:
    if np.isnan(value.low):
        return points(value.value)
    return f"{points(value.value)} ({points(value.low)} to {points(value.high)})"
