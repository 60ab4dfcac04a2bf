"""Findings on differences between methods, one sentence each, computed from the results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lincore.metrics import differences, scores
from lincore.metrics.class_ratio import leading_score
from lincore.metrics.results import ROPE, Results
from lincore.report.sentences import a_score, never_predicted
from lincore.utils.formatting import decimals, listed, p_equals, percent, points


def comparison_finding(results: Results, score: str | None = None, rope: float = ROPE) -> str:
    """Say which methods lead, whom they beat, and which classes some of them never predict.

    The groups are those of `lincore.metrics.differences.groups`: whoever shares one is not
    significantly different from its best.

    Parameters
    ----------
    results : Results
    score : str, optional
        One of `lincore.metrics.scores.SCORES`; by default the leading one, see
        `lincore.metrics.class_ratio.leading_score`.
    rope : float
        How small a difference does not matter, in the unit of the score.

    Examples
    --------
    >>> truth = np.arange(200) % 2
    >>> wrong = np.where(np.arange(200) < 60, 1 - truth, truth)
    >>> r = Results(("LDA", "QDA", "Fisher"), np.array(["a", "b"]), np.arange(200), truth,
    ...             np.stack([truth, truth, wrong]), np.full((3, 200, 2), np.nan), np.zeros(3))
    >>> comparison_finding(r)
    'LDA and QDA are not significantly different (accuracy 100.0 %); both beat Fisher (70.0 %).'
    """
    score = score or leading_score(results.class_counts)
    group = differences.groups(results, score, rope)
    ranked = _ranked(results, score)
    if not ranked:
        return f"No model has a score for {score}."
    finding = _who_leads(results, ranked, group, score, rope)
    return " ".join([finding, *never_predicted_finding(results, ranked)])


def _who_leads(
    results: Results, ranked: list[str], group: dict[str, int], score: str, rope: float
) -> str:
    leaders = [method for method in ranked if group[method] == 1]
    others = [method for method in ranked if group[method] > 1]
    span = _span(results, leaders, score)
    if len(ranked) == 1:
        return f"{_labels(results, ranked)[0]} reaches {a_score(score)} of {span}."
    if not others:
        who = (
            listed(_labels(results, leaders)) if len(leaders) <= 6 else f"All {len(leaders)} models"
        )
        return f"{who} {_alike(results, leaders, score, rope)} ({score} {span})."
    beaten = (
        listed(_labels(results, others)) if len(others) <= 4 else f"the other {len(others)} models"
    )
    beaten += f" ({_span(results, others, score)})"
    if len(leaders) == 1:
        return f"{_labels(results, leaders)[0]} ({score} {span}) beats {beaten}."
    verb = "both beat" if len(leaders) == 2 else f"all {len(leaders)} beat"
    # The best beats them; of those that stand beside it the tests need not say so.
    if not _all_beat(results, leaders, others, score, rope):
        verb = f"{_labels(results, leaders)[0]} beats"
    first = listed(_labels(results, leaders))
    alike = _alike(results, leaders, score, rope)
    return f"{first} {alike} ({score} {span}); {verb} {beaten}."


def never_predicted_finding(results: Results, methods: Sequence[str]) -> list[str]:
    """Return a sentence for each set of classes that some of the methods never predict.

    Parameters
    ----------
    results : Results
    methods : sequence of str
        Some of ``results.methods``.
    """
    found = never_predicted(results, methods)
    labels = dict(zip(methods, _labels(results, list(methods)), strict=True))
    sentences = []
    for blind in dict.fromkeys(found.values()):
        who = [labels[method] for method in methods if found.get(method) == blind]
        if len(who) == len(methods) > 1:
            names = f"{'Neither' if len(who) == 2 else 'None'} of them"
            predicts = blind.replace("never ", "ever ").replace(" for none of ", " for any of ")
            sentences.append(f"{names} {predicts}.")
        else:
            plural = len(who) > 1
            sentences.append(
                f"{listed(who)} {blind.replace('predicts', 'predict') if plural else blind}."
            )
    return sentences


def difference_finding(difference: differences.Difference) -> str:
    """Say in one sentence what is known of two methods.

    Examples
    --------
    >>> difference_finding(differences.Difference(
    ...     "LDA", "QDA", "accuracy", 0.021, 0.003, 0.039, 0.02, 0.04, "first better", "t"))
    'LDA beats QDA by 2.1 points of accuracy (0.3 to 3.9).'
    """
    first, second, score = difference.first, difference.second, difference.score
    if np.isnan(difference.value):
        return f"{first} and {second} cannot be compared by {score}."
    value, low, high = difference.value, difference.low, difference.high
    better = difference.better
    if better is not None:
        worse = second if better == first else first
        if value < 0:
            value, low, high = -value, -high, -low
        span = f"({_amount(low, score)} to {_amount(high, score)})"
        return f"{better} beats {worse} by {_amount(value, score)}{_unit(score)} {span}."
    span = f"{first} minus {second} is {_amount(value, score)}{_unit(score)}"
    span += f" ({_amount(low, score)} to {_amount(high, score)})"
    if difference.verdict == "equivalent":
        return f"{first} and {second} are equivalent in practice: {span}."
    return f"{first} and {second} are not significantly different: {span}."


def cochran_finding(found: differences.Omnibus, *, some_pair: bool = True) -> str:
    """Say what Cochran's test says of all methods together.

    Parameters
    ----------
    found : Omnibus
    some_pair : bool, default True
        Whether two of the methods are significantly different by themselves.

    Examples
    --------
    >>> cochran_finding(differences.Omnibus(9.2, 0.01, 2))
    'The models are not all correct equally often (Cochran’s Q = 9.2, p = 0.010).'
    """
    numbers = f"(Cochran’s Q = {found.statistic:.1f}, {p_equals(found.p)})"
    if found.p < 1 - scores.LEVEL:
        alone = "" if some_pair else ", though no two of them are significantly different"
        return f"The models are not all correct equally often {numbers}{alone}."
    return f"No model is known to be correct more often than another {numbers}."


def _number(value: float, score: str) -> str:
    """Write a score as its kind is read: '87.7 %', '0.321'."""
    return percent(value) if scores.SCORES[score].is_share else decimals(value)


def _labels(results: Results, methods: list[str]) -> list[str]:
    """Return what the methods are called in a sentence: "LDA" for "lda"."""
    return [results.settings.label(method) for method in methods]


def _ranked(results: Results, score: str) -> list[str]:
    values = {m: scores.estimate(results, m, score).value for m in results.methods}
    sign = -1 if scores.SCORES[score].greater_is_better else 1
    return sorted((m for m in values if not np.isnan(values[m])), key=lambda m: sign * values[m])


def _span(results: Results, methods: list[str], score: str) -> str:
    """Return the scores of the best and the worst of some methods in rank order."""
    ends = (scores.estimate(results, m, score).value for m in (methods[0], methods[-1]))
    best, worst = (_number(value, score) for value in ends)
    return best if best == worst else f"{best} to {worst}"


def _alike(results: Results, leaders: list[str], score: str, rope: float) -> str:
    """Say of the methods of a group that none is known to be better, or that it does not matter."""
    found = differences.pairwise_differences(results, score, rope)
    pairs = [d for d in found if d.first in leaders and d.second in leaders]
    # Models that never predict some class are alike in a fault: that is no equivalence to praise.
    if any(d.verdict != "equivalent" for d in pairs) or never_predicted(results, leaders):
        return "are not significantly different"
    return (
        f"are equivalent in practice, surely less than {_amount(rope, score)}{_unit(score)} apart"
    )


def _all_beat(
    results: Results, leaders: list[str], others: list[str], score: str, rope: float
) -> bool:
    found = differences.pairwise_differences(results, score, rope)
    better = {frozenset((d.first, d.second)): d.better for d in found}
    return all(better[frozenset((a, b))] == a for a in leaders for b in others)


def _amount(value: float, score: str) -> str:
    return points(value) if scores.SCORES[score].is_share else decimals(value)


def _unit(score: str) -> str:
    return f" points of {score}" if scores.SCORES[score].is_share else f" of {score}"
