"""Differences between methods: paired tests, intervals, groups of equivalent models."""

from __future__ import annotations

from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from scipy import stats

from lincore.metrics._bootstrap import replicates
from lincore.metrics.class_ratio import leading_score
from lincore.metrics.confusion_scores import MEASURES
from lincore.metrics.estimates import SCORES, estimate, score_of
from lincore.metrics.intervals import (
    LEVEL,
    UNKNOWN,
    Interval,
    Z,
    fold_error,
    from_folds,
    from_rows,
    p_from_rows,
)
from lincore.metrics.results import ROPE, Results
from lincore.metrics.sampling_units import find_sampling_units, per_results
from lincore.utils.typing import Array

Verdict = Literal["first better", "second better", "equivalent", "not significant"]
ALPHA = 1 - LEVEL


class Difference(NamedTuple):
    """One method against another.

    Attributes
    ----------
    first, second : str
    score : str
    value : float
        Score of the first minus score of the second, in the unit of the score.
    low, high : float
        Ends of its 95 % interval.
    p : float
        Two-sided p-value of no difference, before Holm.
    p_holm : float
        The same adjusted for the number of pairs.
    verdict : {"first better", "second better", "equivalent", "not significant"}
    test : str
        What was used.
    """

    first: str
    second: str
    score: str
    value: float
    low: float
    high: float
    p: float
    p_holm: float
    verdict: Verdict
    test: str

    @property
    def better(self) -> str | None:
        """The name of the better method, if there is one."""
        return {"first better": self.first, "second better": self.second}.get(self.verdict)


class Omnibus(NamedTuple):
    """Cochran's Q: whether any of several methods is right more often than another."""

    statistic: float
    p: float
    df: int


def pairwise_differences(
    results: Results, score: str | None = None, rope: float = ROPE
) -> list[Difference]:
    """Compare every two methods on the same rows.

    ========================================  ================================================
    accuracy on one test set                  McNemar's mid-p; interval of Bonett and Price
    other scores there, or rows in groups     paired BCa bootstrap over rows (groups)
    folds, once or repeated, leave-one-out    corrected resampled t over the folds
    ========================================  ================================================

    p-values are adjusted over the pairs by Holm's method. The verdict is "equivalent" when the
    whole interval lies inside the region of practical equivalence; otherwise one method is
    "better" when the adjusted p-value is below 0.05; otherwise the difference is "not significant".

    Parameters
    ----------
    results : Results
    score : str, optional
        One of `SCORES`; by default the leading one, see
        `lincore.metrics.class_ratio.leading_score`.
    rope : float
        How small a difference does not matter, in the unit of the score: 0.01 of accuracy is
        one point.

    Returns
    -------
    list of Difference
        In the order of the methods; numbers are NaN where a method has no such score.
        ``pandas.DataFrame(pairwise(...))`` is a table of them.

    Raises
    ------
    KeyError
        When there is no such score.
    ValueError
        When `rope` is negative.

    Examples
    --------
    >>> from lincore.metrics.results import Results
    >>> truth = np.arange(200) % 2
    >>> guesses = np.stack([truth, np.where(np.arange(200) < 20, 1 - truth, truth)])
    >>> r = Results(("LDA", "QDA"), np.array(["a", "b"]), np.arange(200), truth, guesses,
    ...             np.full((2, 200, 2), np.nan), np.zeros(2))
    >>> found = pairwise_differences(r)[0]
    >>> found.better, round(found.value, 3), found.test
    ('LDA', 0.1, "McNemar's mid-p")

    References
    ----------
    Dietterich (1998), "Approximate statistical tests for comparing supervised classification
    learning algorithms"; Nadeau, Bengio (2003), "Inference for the generalization error";
    Demšar (2006), "Statistical comparisons of classifiers over multiple data sets".
    """
    if not rope >= 0:
        raise ValueError(f"The region of practical equivalence cannot be {rope}.")
    score = score or leading_score(results.class_counts)
    score_of(score)  # raises for one that is not known
    pairs = list(combinations(results.methods, 2))
    found = [_compare(results, first, second, score) for first, second in pairs]
    adjusted = holm(np.array([p for _, p, _ in found]))
    return [
        Difference(
            *pair, score, *interval, p, float(p_holm), _verdict(interval, p_holm, score, rope), test
        )
        for pair, (interval, p, test), p_holm in zip(pairs, found, adjusted, strict=True)
    ]


def holm(p: Array) -> Array:
    """Return Holm's adjusted p-values (c,); NaN stays and does not count as a comparison.

    Ours, for statsmodels' `multipletests` ends every call by collecting garbage: 30 ms and more.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03, np.nan])).round(3).tolist()
    [0.03, 0.06, 0.06, nan]

    References
    ----------
    Holm (1979), "A simple sequentially rejective multiple test procedure", section 2.
    """
    adjusted, order = np.full(len(p), np.nan), np.argsort(p)
    order = order[: np.count_nonzero(~np.isnan(p))]  # NaN is sorted to the end
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


@per_results
def _compare(results: Results, first: str, second: str, score: str) -> tuple[Interval, float, str]:
    one, two = estimate(results, first, score), estimate(results, second, score)
    base = find_sampling_units(results)
    if np.isnan(one.value) or np.isnan(two.value):
        return UNKNOWN, np.nan, "none: a method has no such score"
    if score == "accuracy" and base.one_fit and base.independent_rows:
        return *_mcnemar(results, first, second), "McNemar's mid-p"
    value, influence = one.value - two.value, one.influence - two.influence
    if np.abs(influence).max() < 1e-12:
        n = min(len(influence) / base.repeats, base.n_effective)
        return *_alike(value, score, n), "none: alike on every row"
    if not base.one_fit:
        return *_resampled_t(results, value, influence), "corrected resampled t"
    known = replicates(results)
    paired = None
    if known is not None:
        paired = known[score][results.position(first)] - known[score][results.position(second)]
    interval = from_rows(value, influence, base, paired, paired=True)
    return interval, p_from_rows(value, influence, base, paired), "paired bootstrap"


def _alike(value: float, score: str, n: float) -> tuple[Interval, float]:
    """Return what n rows that tell two methods nowhere apart say: not quite that they are one."""
    # As of Bonett and Price without a discordant row; a mean of constant losses needs none.
    reach = Z * np.sqrt(2) / (n + 2) if score in MEASURES else 0.0
    return Interval(value, value - reach, value + reach), 1.0 if abs(value) < 1e-12 else 0.0


def _resampled_t(results: Results, value: float, influence: Array) -> tuple[Interval, float]:
    """Return Nadeau and Bengio's interval and two-sided p-value."""
    base = find_sampling_units(results)
    interval = from_folds(value, influence, base, base.spread_of_difference)
    error = fold_error(influence, base, base.spread_of_difference)
    if error == 0:
        return interval, 1.0 if abs(value) < 1e-12 else 0.0
    return interval, float(2 * stats.t.sf(abs(value) / error, base.n_folds - 1))


def _mcnemar(results: Results, first: str, second: str) -> tuple[Interval, float]:
    """Return the mid-p of McNemar's test, and the adjusted Wald interval of the difference.

    References
    ----------
    Fagerland, Lydersen, Laake (2013), "The McNemar test for binary matched-pairs data: mid-p
    and asymptotic are better than exact conditional"; Bonett, Price (2012), "Adjusted Wald
    confidence interval for a difference of binomial proportions based on paired data".
    """
    right = results.predicted == results.truth
    one, two = right[results.position(first)], right[results.position(second)]
    only_one, only_two = np.count_nonzero(one & ~two), np.count_nonzero(two & ~one)
    fewer, discordant, n = min(only_one, only_two), only_one + only_two, len(one)
    p = 2 * stats.binom.cdf(fewer, discordant, 0.5) - stats.binom.pmf(fewer, discordant, 0.5)
    a, b = (only_one + 1) / (n + 2), (only_two + 1) / (n + 2)
    half = Z * np.sqrt((a + b - (a - b) ** 2) / (n + 2))
    value = float(only_one - only_two) / n
    interval = Interval(value, float(a - b - half), float(a - b + half)).within(-1, 1)
    return interval, float(min(p, 1.0))


def _verdict(interval: Interval, p_holm: float, score: str, rope: float) -> Verdict:
    if interval.low > -rope and interval.high < rope:
        return "equivalent"
    if p_holm < ALPHA:
        first = bool(interval.value > 0) == SCORES[score].greater_is_better
        return "first better" if first else "second better"
    return "not significant"


def cochran_test(results: Results) -> Omnibus:
    """Test whether all methods are right equally often on one test set.

    Raises
    ------
    ValueError
        When rows do not count for themselves, as over folds, or there are no two methods.

    References
    ----------
    Cochran (1950), "The comparison of percentages in matched samples".
    """
    if not (find_sampling_units(results).one_fit and find_sampling_units(results).independent_rows):
        raise ValueError("Cochran's Q is for one test set of independent rows, not for folds.")
    if len(results.methods) < 2:
        raise ValueError("Cochran's Q compares two or more methods.")
    right = (results.predicted == results.truth).T.astype(float)
    if not np.ptp(right, axis=1).any():  # on every row all are right or all wrong
        return Omnibus(0.0, 1.0, right.shape[1] - 1)
    k, by_row, by_method = right.shape[1], right.sum(axis=1), right.sum(axis=0)
    unequal = k * (by_method @ by_method) - by_method.sum() ** 2
    Q = float((k - 1) * unequal / (k * by_row.sum() - by_row @ by_row))
    return Omnibus(Q, float(stats.chi2.sf(Q, k - 1)), k - 1)


def groups(results: Results, score: str | None = None, rope: float = ROPE) -> dict[str, int]:
    """Return groups of methods that are not significantly different, numbered from 1, the best.

    The best method leads group 1, and every other method that it does not beat by the verdict of
    `pairwise_differences` (Holm over all pairs) joins it. The best of those that are left leads
    group 2, and so on. A method of a group need not be equal to the others in it, only to its
    leader; and a method whose score varies much may stand above one with a better, steadier score.

    Parameters
    ----------
    results, score, rope
        As for `pairwise_differences`.

    Returns
    -------
    dict of str to int
        By method, in the order of the results; 0 for a method that has no such score.
    """
    score = score or leading_score(results.class_counts)
    found = pairwise_differences(results, score, rope)
    better = {frozenset((d.first, d.second)): d.better for d in found}
    sign = -1 if SCORES[score].greater_is_better else 1
    values = {method: sign * estimate(results, method, score).value for method in results.methods}
    left = sorted((m for m in values if not np.isnan(values[m])), key=lambda m: values[m])
    group, number = dict.fromkeys(results.methods, 0), 0
    while left:
        number += 1
        leader = left[0]
        inside = [m for m in left if m == leader or better[frozenset((leader, m))] != leader]
        group |= dict.fromkeys(inside, number)
        left = [m for m in left if m not in inside]
    return group
