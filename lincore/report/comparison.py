"""Notes on scores: weights of rows, rules of intervals, and methods that were left out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lincore.metrics import scores
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units, row_weights
from lincore.metrics.settings import Settings
from lincore.utils.formatting import class_named, percent

WILSON = "Wilson"
#: Rules of the intervals, see `lincore.metrics.score`.
_RULES = {
    "accuracy": WILSON,
    "balanced accuracy": "Price–Bonett",
    "macro F1": "Price–Bonett, linearised",
    "MCC": "Price–Bonett, linearised",
    "log loss": "Student’s t on a log scale",
    "Brier": "Student’s t on a log scale",
    "AUC": "DeLong, with two rows added",
}


def weighting(results: Results) -> str:
    """Report the effective number of tested rows; "" without unequal weights.

    Examples
    --------
    >>> import lincore
    >>> data = lincore.load((np.arange(40.0)[:, None] % 7, np.arange(40) % 2),
    ...                     weights=1 + np.arange(40) % 3)
    >>> weighting(lincore.compare(data, "lda", "5-fold"))
    'Rows are weighted: the 40 tested ones are equivalent to 34.1 of equal weight (Kish).'
    """
    if row_weights(results) is None:
        return ""
    sampled = find_sampling_units(results)
    units = _units(results)
    tested = f"{sampled.n_units:,} tested {'ones' if units == 'rows' else units}"
    number = f"{sampled.n_effective:,.1f} of equal weight (Kish)"
    return f"Rows are weighted: the {tested} are equivalent to {number}."


def interval_method(results: Results, *names: str) -> str:
    """State the rules of the intervals of some scores; empty if none has an interval.

    Parameters
    ----------
    results : Results
    *names : str
        Names of scores, of `SCORES`.

    Examples
    --------
    >>> codes = np.arange(40) % 2
    >>> r = Results(("LDA",), np.array(["a", "b"]), np.arange(40), codes, codes[None],
    ...             np.log(np.full((1, 40, 2), 0.5)), np.zeros(1))
    >>> interval_method(r, "accuracy")
    '95 % intervals: Wilson.'
    >>> interval_method(r, "accuracy", "MCC")
    '95 % intervals: accuracy by Wilson; MCC by Price–Bonett, linearised.'
    """
    are_several = len(names) > 1
    names = tuple(name for name in names if _has_interval(results, name))
    if not names:
        return ""
    own = {"AUC": "DeLong"} if scores.has_delongs_interval(results) else {}
    rules = [own.get(name, _RULES[name]) for name in names]
    units = _units(results)
    if not find_sampling_units(results).independent_rows:
        number = f"effective number of {units}"
        variance = f"variance by {units}"
        rules = [f"{rule}, {number if rule == WILSON else variance}" for rule in rules]
    if are_several:
        rules = [f"{name} by {rule}" for name, rule in zip(names, rules, strict=True)]
    if results.common is not None:
        rules[-1] += f"{';' if are_several else ','} jackknife over the models of the folds"
    sentence = f"{percent(scores.LEVEL, 0)} intervals: {'; '.join(rules)}."
    unadjusted = _delong_intervals(results) if names == ("AUC",) and not own else {}
    if not unadjusted:
        return sentence
    intervals = "; ".join(
        f"{label} {estimate.value:.3f} ({estimate.low:.3f} to {estimate.high:.3f})"
        for label, estimate in unadjusted.items()
    )
    return f"{sentence} Without these rows, as in R’s pROC: {intervals}."


def _has_interval(results: Results, name: str) -> bool:
    intervals = [scores.score(results, method, name) for method in results.methods]
    return any(not np.isnan(interval.low) for interval in intervals)


def delong_note(results: Results) -> str:
    """Report the AUC of one model for two classes with DeLong's interval; empty if unavailable.

    Examples
    --------
    >>> import lincore
    >>> delong_note(lincore.compare(lincore.sample("passengers"), "lda"))
    'AUC ...; DeLong’s 95 % interval, as in R’s pROC, is ... to .... The table ...'
    """
    estimate = next(iter(_delong_intervals(results).values()), None)
    if estimate is None:
        return ""
    level = percent(scores.LEVEL, 0)
    return (
        f"AUC {estimate.value:.3f}; DeLong’s {level} interval, as in R’s pROC, is "
        f"{estimate.low:.3f} to {estimate.high:.3f}. The table of scores adds two rows."
    )


def _delong_intervals(results: Results) -> dict[str, scores.Interval]:
    """Return the AUC of each model with DeLong's interval, by label, if available."""
    with_delong = replace(results, settings=replace(results.settings, auc_interval="DeLong"))
    if not scores.has_delongs_interval(with_delong) or scores.few_rows(results, "AUC"):
        return {}
    estimates = {
        results.settings.label(m): scores.score(with_delong, m, "AUC") for m in results.methods
    }
    return {label: e for label, e in estimates.items() if np.isfinite(e.low)}


def _units(results: Results) -> str:
    return "rows" if results.settings.row_groups is None else "groups"


def left_out(
    failures: Mapping[str, str],
    settings: Settings,
    classes: NDArray[Any],
    consequence: str = "is left out",
) -> list[str]:
    """Return a sentence for each method that could not be fitted, with the reason.

    Parameters
    ----------
    failures : mapping of str to str
        Reason by name of the method.
    settings : Settings
        Settings of the results, with the labels of their methods.
    classes : ndarray of shape (K,)
        Labels, in the order of the codes.
    what : str
        Predicate of the sentence.
    """
    return [
        f"{settings.label(name)} {consequence}: {with_class_names(reason, classes)}"
        for name, reason in failures.items()
    ]


def with_class_names(reason: str, classes: NDArray[Any]) -> str:
    """Replace class codes by labels in the message of a classifier."""

    def label(match: re.Match[str]) -> str:
        code = int(match[1])
        return class_named(classes[code]) if code < len(classes) else match[0]

    return re.sub(r"\bclass (\d+)\b", label, reason)
