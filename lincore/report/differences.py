"""Findings on differences between methods, one sentence each, computed from the results."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lincore.metrics import differences, scores
from lincore.metrics.class_ratio import leading_score
from lincore.metrics.results import ROPE, Results
from lincore.report.sentences import a_score, never_predicted
from lincore.utils.formatting import decimals, listed, p_equals, percent, points

# Characters: two lists of names and their scores fill two lines of a headline.
MOST_NAMES = 30


def comparison_finding(results: Results, score: str | None = None, rope: float = ROPE) -> str:
    """State which methods lead, and which they beat.

    The leader is compared with all others; methods are called "not significantly different" only if
    no pair of them differs. `comparison_details` continues.

    Parameters
    ----------
    results : Results
    score : str, optional
        One of `lincore.metrics.scores.SCORES`; by default the leading one, see
        `lincore.metrics.class_ratio.leading_score`.
    rope : float
        Half-width of the region of practical equivalence, in the unit of the score.

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
    return _who_leads(results, ranked, group, score, rope)


def comparison_details(results: Results, score: str | None = None, rope: float = ROPE) -> str:
    """State which wide difference is not significant, and which classes are never predicted.

    Parameters
    ----------
    results, score, rope
        As for `comparison_finding`.

    Returns
    -------
    str
        Empty if there is nothing to add. The difference is one to the best method, larger than a
        significant one.
    """
    score = score or leading_score(results.class_counts)
    ranked = _ranked(results, score)
    pairs = _pairs(results, ranked, score, rope)
    wide = _wide_interval(results, ranked[0], pairs, score) if pairs else ""
    return " ".join(filter(None, [wide, *never_predicted_finding(results, ranked)]))


def _pairs(
    results: Results, ranked: list[str], score: str, rope: float
) -> list[differences.Difference]:
    return [
        d
        for d in differences.pairwise_differences(results, score, rope)
        if d.first in ranked and d.second in ranked
    ]


def _who_leads(
    results: Results, ranked: list[str], group: dict[str, int], score: str, rope: float
) -> str:
    labels = _labels(results, ranked)
    if len(ranked) == 1:
        return f"{labels[0]} reaches {a_score(score)} of {_span(results, ranked, score)}."
    pairs = _pairs(results, ranked, score, rope)
    leaders = [method for method in ranked if group[method] == 1]
    others = [method for method in ranked if group[method] > 1]
    among = [d for d in pairs if d.first in leaders and d.second in leaders]
    span = f"({score} {_span(results, leaders, score)})"
    beaten = _listed(results, others, f"the other {len(others)} models")
    beaten_span = f"({_span(results, others, score)})" if others else ""
    if len(leaders) == 1:
        return f"{labels[0]} {span} beats {beaten} {beaten_span}."
    better = {frozenset((d.first, d.second)): d.better for d in pairs}
    all_beat = all(better[frozenset((a, b))] == a for a in leaders for b in others)
    if any(d.better for d in among) or not all_beat:
        sentence = _not_worse(results, leaders, score)
        if others:
            sentence += f"; {beaten} {'is' if len(others) == 1 else 'are'} {beaten_span}"
        else:
            n_differ = sum(d.better is not None for d in pairs)
            sentence += f", but {n_differ:,} of {len(pairs):,} pairs differ"
    elif others:
        verb = "both beat" if len(leaders) == 2 else f"all {len(leaders)} beat"
        who = _listed(results, leaders, f"The best {len(leaders)} models")
        alike = _equivalent(results, leaders, who, among, score, rope) or (
            f"{who} are not significantly different"
        )
        sentence = f"{alike} {span}; {verb} {beaten} {beaten_span}"
    else:
        sentence = _no_difference(results, leaders, among, span, score, rope)
    return f"{sentence}."


def _not_worse(results: Results, leaders: list[str], score: str) -> str:
    """State that the best, one or tied, does not beat the other methods of a group."""
    best, last = (_span(results, [method], score) for method in (leaders[0], leaders[-1]))
    values = [scores.estimate(results, method, score).value for method in leaders]
    n_best = values.count(values[0])
    n_others = len(leaders) - n_best
    lead = "leads" if n_best == 1 else "lead"
    who = _listed(results, leaders[:n_best], f"{n_best} models")
    sentence = f"{who} {lead} with {a_score(score)} of {best}{' each' if n_best > 1 else ''}"
    if not n_others:
        return sentence
    others = _listed(results, leaders[n_best:], f"{n_others} other models")
    down = "down" if scores.SCORES[score].greater_is_better else "up"
    return (
        f"{sentence}; {others} {'is' if n_others == 1 else 'are'} not significantly worse"
        f"{f' ({down} to {last})' if last != best else ''}"
    )


def _no_difference(
    results: Results,
    methods: list[str],
    pairs: list[differences.Difference],
    span: str,
    score: str,
    rope: float,
) -> str:
    """State how much methods may still differ if no pair differs significantly."""
    models = _listed(results, methods, f"All {len(methods)} models")
    if alike := _equivalent(results, methods, models, pairs, score, rope):
        return f"{alike} {span}"
    models = _listed(results, methods, f"the {len(methods)} models")
    who = f"{'between' if len(methods) == 2 else 'among'} {models}"
    ends = [abs(end) for d in pairs for end in (d.low, d.high)]
    unit = " points" if scores.SCORES[score].is_share else ""
    verb = "are" if unit else "is"
    more = f"; up to {_amount(max(ends), score)}{unit} {verb} not excluded"
    if not np.isfinite(max(ends)) or any(np.isnan(ends)):
        untested = [np.isnan(d.p) for d in pairs]
        if all(untested):
            return f"No test is possible {who} {span}: too few rows show what posteriors of 0 cost"
        more = "; pairs with posteriors of exactly 0 are not tested" if any(untested) else ""
    return f"No significant difference {who} {span}{more}"


def _wide_interval(
    results: Results, leader: str, pairs: list[differences.Difference], score: str
) -> str:
    """Return the interval of a difference to the leader that is larger than a significant one."""
    unclear = [
        d for d in pairs if d.better is None and leader in (d.first, d.second) and d.p == d.p
    ]
    clear = [abs(d.value) for d in pairs if d.better is not None]
    if not clear or not unclear:
        return ""
    widest = max(unclear, key=lambda d: abs(d.value))
    if abs(widest.value) <= min(clear) or widest.verdict == "equivalent":
        return ""
    is_reversed = widest.first != leader
    rival = widest.first if is_reversed else widest.second
    low, high = (-widest.high, -widest.low) if is_reversed else (widest.low, widest.high)
    who = " and ".join(_labels(results, [leader, rival]))
    size = f"{_amount(abs(widest.value), score)}{_unit(score)}"
    sentence = f"The difference of {size} between {who} is not significant"
    if np.isnan(low):
        return f"{sentence}: too few rows for an interval."
    ends = f"{_amount(low, score)} to {_amount(high, score)}"
    if widest.p < differences.ALPHA:
        ends += f"; {p_equals(widest.p_holm)} after Holm’s correction"
    return f"{sentence}: its interval is {ends}."


def never_predicted_finding(results: Results, methods: Sequence[str]) -> list[str]:
    """Return a sentence for each set of classes that some of the methods never predict.

    Parameters
    ----------
    results : Results
    methods : sequence of str
        Some of ``results.methods``.
    """
    predicates = never_predicted(results, methods)
    labels = dict(zip(methods, _labels(results, list(methods)), strict=True))
    sentences = []
    for predicate in dict.fromkeys(predicates.values()):
        who = [labels[method] for method in methods if predicates.get(method) == predicate]
        if len(who) == len(methods) > 1:
            names = f"{'Neither' if len(who) == 2 else 'None'} of them"
            sentences.append(f"{names} {predicate.replace('for none of', 'for any of')}.")
        else:
            verb_form = predicate.replace("predicts", "predict") if len(who) > 1 else predicate
            sentences.append(f"{listed(who)} {verb_form}.")
    return sentences


def _number(value: float, score: str) -> str:
    """Format a score by its kind: '87.7 %', '0.321'."""
    return percent(value) if scores.SCORES[score].is_share else decimals(value)


def _labels(results: Results, methods: list[str]) -> list[str]:
    """Return the display names of methods: "LDA" for "lda"."""
    return [results.settings.label(method) for method in methods]


def _listed(results: Results, methods: list[str], summary: str) -> str:
    """Name methods, or return a summary if their names would make a headline too long."""
    names = listed(_labels(results, methods))
    return names if len(names) <= MOST_NAMES else summary


def _ranked(results: Results, score: str) -> list[str]:
    values = {m: scores.estimate(results, m, score).value for m in results.methods}
    sign = -1 if scores.SCORES[score].greater_is_better else 1
    return sorted((m for m in values if not np.isnan(values[m])), key=lambda m: sign * values[m])


def _span(results: Results, methods: list[str], score: str) -> str:
    """Return the scores of the best and the worst of some methods in rank order."""
    ends = (scores.estimate(results, m, score).value for m in (methods[0], methods[-1]))
    best, worst = (_number(value, score) for value in ends)
    return best if best == worst else f"{best} to {worst}"


def _equivalent(
    results: Results,
    methods: list[str],
    who: str,
    pairs: list[differences.Difference],
    score: str,
    rope: float,
) -> str:
    """State practical equivalence of `methods`, named `who`, if all intervals show it; or ""."""
    # Models that never predict some class share a fault and are not called equivalent.
    if any(d.verdict != "equivalent" for d in pairs) or never_predicted(results, methods):
        return ""
    apart = f"{_amount(rope, score)}{_unit(score)} apart by {percent(scores.LEVEL, 0)} intervals"
    return f"{who} are equivalent in practice, less than {apart}"


def _amount(value: float, score: str) -> str:
    return points(value) if scores.SCORES[score].is_share else decimals(value)


def _unit(score: str) -> str:
    return f" points of {score}" if scores.SCORES[score].is_share else f" of {score}"
