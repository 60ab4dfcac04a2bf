"""The cost curve in words: from which cost of a miss balancing pays."""

from __future__ import annotations

import numpy as np

from lincore.imbalance.cost.curve import CostCurve
from lincore.imbalance.cost.record import ImbalanceCost
from lincore.metrics.intervals import Interval
from lincore.report.imbalance_words import after_splits
from lincore.utils.formatting import percent, points, quoted

#: Up to this class ratio classes are equally frequent.
EQUAL = 1.01


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
    miss, alarms = miss_in_words(found)
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


def miss_in_words(found: ImbalanceCost) -> tuple[str, str]:
    """Return the subject and the unit of the cost."""
    if len(found.classes) == 2:
        return f"a missed {_rare(found)}", "false alarms"
    return f"an error on {_rare(found)}", "other errors"


def _rare(found: ImbalanceCost) -> str:
    return quoted(found.classes[found.ratios.rare])
