"""One sentence that says what came out, computed from the results and nothing else."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lincore.experiments import differences, scores
from lincore.experiments.results import Results


def percent(share: float) -> str:
    """Write a share as a percentage with one decimal.

    Examples
    --------
    >>> percent(0.8767)
    '87.7 %'
    """
    return f"{100 * share:.1f} %"


def interval(estimate: scores.Interval) -> str:
    """Write the ends of an interval of shares, in per cent: '83.5–91.0'."""
    return f"{100 * estimate.low:.1f}–{100 * estimate.high:.1f}"


def classification_finding(results: Results, method: str, *, rows: str = "rows") -> str:
    """Say how much of the test part a method gets right, and what it mostly gets wrong.

    Parameters
    ----------
    results : Results
        Of one test set.
    method : str
    rows : str
        What a row is: "rows" or "pictures".

    Examples
    --------
    >>> codes = np.array([0, 0, 1, 1])
    >>> r = Results(("LDA",), np.array(["a", "b"]), np.arange(4), codes, codes[None],
    ...             np.log(np.full((1, 4, 2), 0.5)), np.zeros(1))
    >>> classification_finding(r, "LDA")
    'LDA gets 100.0 % (51.0–100.0) of 4 test rows, and none wrong.'
    """
    right = scores.accuracy(results, method)
    text = f"{method} gets {percent(right.value)} ({interval(right)}) of "
    text += f"{len(np.unique(results.rows)):,} test {rows}"  # over repetitions each counts once
    errors = scores.confusion(results, method)
    np.fill_diagonal(errors, 0)
    if not errors.any():
        return f"{text}, and none wrong."
    taken, given = np.unravel_index(errors.argmax(), errors.shape)
    share = "most" if errors.max() > errors.sum() / 2 else "the commonest"
    noun = "errors are" if errors.sum() > 1 else "error is"
    if errors.sum() == 1:
        share = "its one"
    return f"{text}; {share} {noun} {_name(results, taken)} taken for {_name(results, given)}."


def _name(results: Results, code: np.intp) -> str:
    """Return a label as it stands in a sentence: a number in quotation marks."""
    label = results.classes[code]
    return str(label) if isinstance(label, str) else f"“{label}”"


def against_baseline(results: Results, method: str) -> str:
    """Say whether a method beats always guessing the largest class of the test part."""
    right, guess = scores.accuracy(results, method), scores.baseline(results)
    largest = _name(results, np.bincount(results.truth).argmax())
    always = f"always guessing {largest} ({percent(guess)})"
    if right.low > guess:
        return f"That is better than {always}."
    if right.high < guess:
        return f"That is worse than {always}."
    return f"That cannot be told apart from {always}."


def variance_finding(
    variances: NDArray[np.float64], n_rows: int, *, rows: str = "rows", share: float = 0.95
) -> str:
    """Say how few components hold most of the variance of the training rows.

    Parameters
    ----------
    variances : ndarray of shape (rank,)
        Of every component, in decreasing order.
    n_rows : int
        How many rows it was fitted on.
    rows : str
        What a row is.
    share : float
        What "most" means.
    """
    ratio = variances / variances.sum()
    first = percent(float(ratio[:2].sum()))
    needed = int(np.argmax(np.cumsum(ratio) >= share - 1e-12)) + 1
    if len(ratio) == 1:
        return f"One component holds all the variance of {n_rows:,} training {rows}."
    return (
        f"Two components hold {first} of the variance of {n_rows:,} training {rows}; "
        f"{100 * share:.0f} % take {needed} of {len(ratio)}."
    )


def comparison_finding(results: Results, score: str = "accuracy", rope: float = 0.01) -> str:
    """Say in one sentence which methods lead, whom they beat and what cannot be told apart.

    The tiers are those of `lincore.experiments.differences.tiers`: whoever shares one cannot be
    told from its best.

    Parameters
    ----------
    results : Results
    score : str
        One of `lincore.experiments.scores.SCORES`.
    rope : float
        How small a difference does not matter, in the unit of the score.

    Examples
    --------
    >>> truth = np.arange(200) % 2
    >>> wrong = np.where(np.arange(200) < 60, 1 - truth, truth)
    >>> r = Results(("LDA", "QDA", "Fisher"), np.array(["a", "b"]), np.arange(200), truth,
    ...             np.stack([truth, truth, wrong]), np.full((3, 200, 2), np.nan), np.zeros(3))
    >>> comparison_finding(r)
    'LDA and QDA cannot be told apart (accuracy 100.0 %); both beat Fisher (70.0 %).'
    """
    tier = differences.tiers(results, score, rope)
    ranked = _ranked(results, score)
    if not ranked:
        return f"No method has a score for {score}."
    leaders = [method for method in ranked if tier[method] == 1]
    others = [method for method in ranked if tier[method] > 1]
    span = _span(results, leaders, score)
    if len(ranked) == 1:
        return f"{_labels(results, ranked)[0]} reaches {score} {span}."
    if not others:
        who = (
            listed(_labels(results, leaders))
            if len(leaders) <= 6
            else f"All {len(leaders)} methods"
        )
        return f"{who} {_alike(results, leaders, score, rope)} ({score} {span})."
    beaten = (
        listed(_labels(results, others)) if len(others) <= 4 else f"the other {len(others)} methods"
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
    if better is not None and np.isinf(value):
        worse = second if better == first else first
        return f"{better} beats {worse}, whose {score} is infinite."
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
    return f"{first} and {second} cannot be told apart: {span}."


def cochran_finding(found: differences.Omnibus, *, some_pair: bool = True) -> str:
    """Say what Cochran's test says of all methods together.

    Parameters
    ----------
    found : Omnibus
    some_pair : bool, default True
        Whether two of the methods can be told apart by themselves.

    Examples
    --------
    >>> cochran_finding(differences.Omnibus(9.2, 0.01, 2))
    'The methods are not all right equally often (Cochran’s Q = 9.2, p = 0.010).'
    """
    p = "p < 0.001" if found.p < 0.001 else f"p = {found.p:.3f}"
    numbers = f"(Cochran’s Q = {found.statistic:.1f}, {p})"
    if found.p < 1 - scores.LEVEL:
        alone = "" if some_pair else ", though no two of them can be told apart"
        return f"The methods are not all right equally often {numbers}{alone}."
    return f"No method is known to be right more often than another {numbers}."


def listed(names: list[str]) -> str:
    """Return names as a sentence lists them: 'a, b and c'."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def number(value: float, score: str) -> str:
    """Write a score as its kind is read: '87.7 %', '0.321'."""
    return percent(value) if scores.SCORES[score].is_share else plain(value)


def plain(value: float) -> str:
    """Write a loss or another number without a unit: three decimals, or short where it is huge.

    The log loss of a model that is surely wrong has no bound.

    Examples
    --------
    >>> plain(0.3214), plain(-12.5), plain(2.5e300), plain(float("inf"))
    ('0.321', '-12.500', '2.5e+300', 'infinite')
    """
    if np.isinf(value):
        return "infinite" if value > 0 else "-infinite"
    return f"{value:.3f}" if not abs(value) >= 1000 else f"{value:.3g}"


def _labels(results: Results, methods: list[str]) -> list[str]:
    """Return what the methods are called in a sentence: "LDA" for "lda"."""
    labels = results.settings.get("labels", {})
    return [str(labels.get(method, method)) for method in methods]


def _ranked(results: Results, score: str) -> list[str]:
    values = {m: scores.estimate(results, m, score).value for m in results.methods}
    sign = -1 if scores.SCORES[score].higher_is_better else 1
    return sorted((m for m in values if not np.isnan(values[m])), key=lambda m: sign * values[m])


def _span(results: Results, methods: list[str], score: str) -> str:
    """Return the scores of the best and the worst of some methods in rank order."""
    ends = (scores.estimate(results, m, score).value for m in (methods[0], methods[-1]))
    best, worst = (number(value, score) for value in ends)
    return best if best == worst else f"{best} to {worst}"


def _alike(results: Results, leaders: list[str], score: str, rope: float) -> str:
    """Say of the methods of a tier that none is known to be better, or that it does not matter."""
    found = differences.pairwise(results, score, rope)
    pairs = [d for d in found if d.first in leaders and d.second in leaders]
    if any(d.verdict != "equivalent" for d in pairs):
        return "cannot be told apart"
    return (
        f"are equivalent in practice, surely less than {_amount(rope, score)}{_unit(score)} apart"
    )


def _all_beat(
    results: Results, leaders: list[str], others: list[str], score: str, rope: float
) -> bool:
    found = differences.pairwise(results, score, rope)
    better = {frozenset((d.first, d.second)): d.better for d in found}
    return all(better[frozenset((a, b))] == a for a in leaders for b in others)


def _amount(value: float, score: str) -> str:
    text = f"{100 * value:.1f}" if scores.SCORES[score].is_share else plain(value)
    return f"−{text[1:]}" if text.startswith("-") else text


def _unit(score: str) -> str:
    return f" points of {score}" if scores.SCORES[score].is_share else f" of {score}"
