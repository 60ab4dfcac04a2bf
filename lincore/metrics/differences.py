"""Differences between methods: paired tests, intervals, groups of equivalent models."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np
from scipy import stats

from lincore.metrics.class_ratio import leading_score
from lincore.metrics.estimates import SCORES, estimate, score_of
from lincore.metrics.intervals import LEVEL, Interval
from lincore.metrics.paired_difference import ROUNDING, paired_difference
from lincore.metrics.results import ROPE, Results
from lincore.metrics.sampling_units import find_sampling_units
from lincore.utils.typing import Array

Verdict = Literal["first better", "second better", "equivalent", "not significant"]
ALPHA = 1 - LEVEL


class Difference(NamedTuple):
    """Comparison of two methods.

    Attributes
    ----------
    first, second : str
    score : str
    value : float
        Score of the first minus score of the second, in the unit of the score.
    low, high : float
        Its 95 % interval.
    p : float
        Two-sided p-value of no difference, before Holm.
    p_holm : float
        Adjusted for the number of pairs by Holm's method.
    verdict : {"first better", "second better", "equivalent", "not significant"}
    test : str
        Name of the test.
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
    """Whether any of several methods is correct more often than another.

    Attributes
    ----------
    statistic : float
        Cochran's Q.
    p : float
        By the F test of the same table with the correction of Greenhouse and Geisser.
    df : int
        Number of methods minus one.
    epsilon : float
        The factor of both degrees of freedom: 1 if all pairs of methods differ equally often, 1 /
        df if only one contrast varies.
    """

    statistic: float
    p: float
    df: int
    epsilon: float


def pairwise_differences(
    results: Results,
    score: str | None = None,
    rope: float = ROPE,
    pairs: Sequence[tuple[str, str]] | None = None,
) -> list[Difference]:
    """Compare pairs of methods on the same rows.

    ========================================  ================================================
    accuracy on one test set                  Bonett and Price
    balanced accuracy, macro F1, MCC there    the same by class
    AUC there                                 DeLong, with rows added
    log loss, Brier score there               paired t, degrees of freedom by the kurtosis
    rows in groups                            sums of the groups, Student's t
    folds, once or repeated, leave-one-out    corrected resampled t over the folds
    ========================================  ================================================

    Interval and p-value belong to the same test, see `lincore.metrics.paired_difference`: p is
    below 0.05 exactly if the interval excludes 0. For their coverage see docs/coverage.md. p-values
    are adjusted over the pairs by Holm's method. The verdict is "equivalent" when the whole
    interval lies inside the region of practical equivalence; otherwise one method is "better" when
    the adjusted p-value is below 0.05; otherwise the difference is "not significant".

    Parameters
    ----------
    score : str, optional
        One of `SCORES`; by default the leading one, see
        `lincore.metrics.class_ratio.leading_score`.
    rope : float
        Half-width of the region of practical equivalence, in the unit of the score: 0.01 of
        accuracy is one point.
    pairs : sequence of (str, str), optional
        The methods that are compared; all pairs by default.

    Returns
    -------
    list of Difference
        In the order of the methods or pairs; numbers are NaN if a method has no such score.
        ``pandas.DataFrame(pairwise(...))`` is a table of them.

    Raises
    ------
    KeyError
        If there is no such score.
    ValueError
        If `rope` is negative.

    Examples
    --------
    >>> from lincore.metrics.results import Results
    >>> truth = np.arange(200) % 2
    >>> guesses = np.stack([truth, np.where(np.arange(200) < 20, 1 - truth, truth)])
    >>> r = Results(("LDA", "QDA"), np.array(["a", "b"]), np.arange(200), truth, guesses,
    ...             np.full((2, 200, 2), np.nan), np.zeros(2))
    >>> difference = pairwise_differences(r)[0]
    >>> difference.better, round(difference.value, 3), difference.test
    ('LDA', 0.1, 'Bonett-Price')

    References
    ----------
    Dietterich (1998), "Approximate statistical tests for comparing supervised classification
    learning algorithms"; Demšar (2006), "Statistical comparisons of classifiers over
    multiple data sets".
    """
    if not rope >= 0:
        raise ValueError(f"The region of practical equivalence cannot be {rope}.")
    score = score or leading_score(results.class_counts)
    score_of(score)  # raises for an unknown score
    pairs = list(combinations(results.methods, 2)) if pairs is None else pairs
    differences = [paired_difference(results, first, second, score) for first, second in pairs]
    adjusted = holm(np.array([difference.p for difference in differences]))
    return [
        Difference(
            *pair, score, *interval, p, float(p_holm), _verdict(interval, p_holm, score, rope), test
        )
        for pair, (interval, p, test), p_holm in zip(pairs, differences, adjusted, strict=True)
    ]


def holm(p: Array) -> Array:
    """Return Holm's adjusted p-values (c,); NaN stays and does not count as a comparison.

    Own implementation, because statsmodels' `multipletests` runs the garbage collector in every
    call (30 ms and more).
    """
    adjusted, order = np.full(len(p), np.nan), np.argsort(p)
    order = order[: np.count_nonzero(~np.isnan(p))]  # NaN is sorted to the end
    steps = p[order] * np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def _verdict(interval: Interval, p_holm: float, score: str, rope: float) -> Verdict:
    if interval.low > -rope and interval.high < rope:
        return "equivalent"
    if p_holm < ALPHA:
        first = bool(interval.value > 0) == SCORES[score].greater_is_better
        return "first better" if first else "second better"
    return "not significant"


def cochran_test(results: Results) -> Omnibus:
    """Test whether all methods are equally often correct on one test set.

    Uncorrected, Q assumes that all pairs of methods differ equally often. If some are similar, it
    rejects in 12 to 14 % of null cases instead of 5 %.

    Raises
    ------
    ValueError
        If rows are not independent, as over folds, or there are fewer than two methods.

    References
    ----------
    Cochran (1950), "The comparison of percentages in matched samples"; Greenhouse, Geisser (1959),
    "On methods in the analysis of profile data"; Myers, DiCecco, White, Borden (1982), "Repeated
    measurements on dichotomous variables: Q and F tests".
    """
    base = find_sampling_units(results)
    if not (base.one_fit and base.independent_rows):
        raise ValueError("Cochran's Q is for one test set of independent rows, not for folds.")
    if len(results.methods) < 2:
        raise ValueError("Cochran's Q compares two or more methods.")
    right = (results.predicted == results.truth).T.astype(float)
    n, k = right.shape
    contrasts = right - right.mean(axis=1, keepdims=True)
    between = n * float((contrasts.mean(axis=0) ** 2).sum())
    total = float((contrasts**2).sum())
    if not total:  # on every row all methods are correct, or none is
        return Omnibus(0.0, 1.0, k - 1, 1.0)
    Q = (k - 1) * between * n / total
    covariance = np.cov(contrasts, rowvar=False) if n > 1 else np.zeros((k, k))
    trace = float(covariance.trace())
    if trace < ROUNDING:  # all rows are identical, so their variance is unknown
        return Omnibus(Q, float(stats.chi2.sf(Q, k - 1)), k - 1, 1.0)
    epsilon = trace**2 / ((k - 1) * float((covariance**2).sum()))
    df = (k - 1) * epsilon
    return Omnibus(Q, float(stats.f.sf(between / trace, df, df * (n - 1))), k - 1, epsilon)


def groups(results: Results, score: str | None = None, rope: float = ROPE) -> dict[str, int]:
    """Return groups of methods not shown to be worse than their best, numbered from 1, the best.

    The best method leads group 1, joined by every method that it does not beat according to
    `pairwise_differences` (Holm over all pairs). The best remaining method leads group 2, and so
    on. Methods of a group are compared with its leader only, not with each other; and a method with
    a more variable score may be in a higher group than one with a better, more stable score.

    Parameters
    ----------
    results, score, rope
        As for `pairwise_differences`.

    Returns
    -------
    dict of str to int
        By method, in the order of the results; 0 for a method without such a score.
    """
    score = score or leading_score(results.class_counts)
    differences = pairwise_differences(results, score, rope)
    better = {frozenset((d.first, d.second)): d.better for d in differences}
    sign = -1 if SCORES[score].greater_is_better else 1
    values = {method: sign * estimate(results, method, score).value for method in results.methods}
    remaining = sorted((m for m in values if not np.isnan(values[m])), key=lambda m: values[m])
    group, number = dict.fromkeys(results.methods, 0), 0
    while remaining:
        number += 1
        leader = remaining[0]
        members = [m for m in remaining if m == leader or better[frozenset((leader, m))] != leader]
        group |= dict.fromkeys(members, number)
        remaining = [m for m in remaining if m not in members]
    return group
