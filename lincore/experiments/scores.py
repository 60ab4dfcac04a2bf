"""Every score, from `Results` alone, so that no two panels can disagree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from lincore.experiments import measures
from lincore.experiments.class_ratio import leading_score
from lincore.experiments.differences import tiers
from lincore.experiments.estimates import (
    SCORES,
    Estimate,
    Score,
    confusion,
    estimate,
    has_posteriors,
    mean_of,
)
from lincore.experiments.evidence import evidence, independent_counts, per_results
from lincore.experiments.intervals import (
    FEWEST_ROWS,
    LEVEL,
    UNKNOWN,
    Interval,
    Spread,
    from_spread,
    row_spread,
    wilson,
    without_errors,
)
from lincore.experiments.measures import Codes, Tally
from lincore.experiments.results import Results
from lincore.experiments.training_variance import training_variance

__all__ = [
    "LEVEL",
    "SCORES",
    "Estimate",
    "Interval",
    "Score",
    "accuracy",
    "baseline",
    "baselines",
    "confusion",
    "estimate",
    "expected_cost",
    "f1",
    "has_posteriors",
    "log_loss",
    "never_predicted",
    "precision",
    "recall",
    "score",
    "table",
]

Array = NDArray[np.float64]


def score(results: Results, method: str, name: str) -> Interval:
    """Return a score with its 95 % interval, by the rule that fits the scheme.

    The variance is that of the tested rows, each counted once however often it was predicted, and
    over folds ``1 + n_test / n_train`` times that, plus the variance with the training rows (a
    jackknife over the models of the folds, `training_variance`; not in leave-one-out). The interval
    is Wilson's for the effective number of rows, of losses that of the logarithm: see
    `from_spread`. The quantile of the accuracy is normal, so that on one test set of independent
    rows it has Wilson's interval itself; that of losses on one test set is Student's with as many
    degrees of freedom as the variance has rows to lean on, that of scores to which all classes
    count alike with as many as the rarest class has rows, less one. How often they cover, and where
    they do not, stands in docs/coverage.md.

    On one test set the interval is for this fitted model; over folds for what the method reaches
    on average when it learns from as many rows. Where no row is misclassified (or none right),
    nothing varies, and Wilson's intervals of the recalls set the end. NaN where there is no such
    score, see `lincore.experiments.estimates.why_missing`; the ends alone are NaN for a score to
    which all classes count alike where one of them has fewer than 8 rows (`few_rows`).

    Parameters
    ----------
    results : Results
    method : str
    name : str
        One of `SCORES`.

    Raises
    ------
    KeyError
        When there is no such method or score.
    ValueError
        When a row occurs twice in one test set.

    Examples
    --------
    >>> codes = np.arange(40) % 2
    >>> r = Results(("LDA",), np.array(["a", "b"]), np.arange(40), codes,
    ...             np.where(np.arange(40) < 4, 0, codes)[None],
    ...             np.log(np.full((1, 40, 2), 0.5)), np.zeros(1))
    >>> [f"{end:.3f}" for end in score(r, "LDA", "accuracy")]
    ['0.950', '0.835', '0.986']
    """
    return _score(results, method, name)


@per_results
def _score(results: Results, method: str, name: str) -> Interval:
    found, bounds = estimate(results, method, name), SCORES[name]
    if not np.isfinite(found.value):
        return Interval(found.value, found.value, found.value)
    counts = independent_counts(results, results.truth, len(results.classes))
    if bounds.by_class and counts.min() < FEWEST_ROWS:
        return Interval(found.value, np.nan, np.nan)
    common = None if results.common is None else estimate(results.common, method, name)
    highest = bounds.highest if bounds.higher_is_better else np.inf
    spread = _spread(results, found, common, by_class=bounds.by_class)
    if bounds.by_class:
        spread = spread._replace(degrees=float(counts.min()) - 1)
    elif name == "accuracy":
        spread = Spread(spread.variance)
    inner = from_spread(found.value, spread, bounds.lowest, highest)
    return _with_unseen_errors(inner.within(bounds.lowest, bounds.highest), results, bounds)


def few_rows(results: Results, name: str) -> list[int]:
    """Return the codes of the classes that have too few rows for an interval of a score."""
    if not SCORES[name].by_class:
        return []
    counts = independent_counts(results, results.truth, len(results.classes))
    return np.flatnonzero(counts < FEWEST_ROWS).tolist()


def _spread(
    results: Results, found: Estimate, common: Estimate | None, *, by_class: bool = False
) -> Spread:
    """Return how much an estimate varies with the tested rows and, over folds, the training rows.

    Parameters
    ----------
    results : Results
    found : Estimate
    common : Estimate or None
        The same score of ``results.common``.
    by_class : bool
        Whether a class counts however few rows it has.
    """
    base = evidence(results)
    influence = found.by_row * found.influence
    rows = row_spread(influence, base, results.truth, results.class_counts)
    variance = rows.variance * (1 + base.ratio)
    if results.common is not None and common is not None and len(common.influence):
        n_folds, noise = evidence(results.common).n_folds, common.by_row**2
        noise *= 0.5 if by_class else 1.0
        variance += training_variance(common.influence, n_folds, base.ratio, noise)
    return Spread(variance, rows.degrees if base.one_fit else np.inf)


def _with_unseen_errors(inner: Interval, results: Results, bounds: Score) -> Interval:
    """Widen an interval without length at the end of the scale, see `without_errors`."""
    if not bounds.higher_is_better or inner.value not in (0.0, 1.0) or inner.low < inner.high:
        return inner
    counts = independent_counts(results, results.truth, len(results.classes))
    reach = without_errors(counts if bounds.by_class else np.array([evidence(results).n_units]))
    if inner.value == 1:
        n_classes = len(results.classes)
        # Errors of a share e, spread evenly, cost a correlation of e K/(K - 1).
        return Interval(1.0, 1 - reach * (n_classes / (n_classes - 1) if bounds.lowest else 1), 1.0)
    return Interval(0.0, 0.0, reach) if bounds.lowest == 0 else inner


def accuracy(results: Results, method: str) -> Interval:
    """Return the share of rows that are predicted right, see `score`."""
    return score(results, method, "accuracy")


def log_loss(results: Results, method: str) -> Interval:
    """Return the mean of -log(posterior of the true class), in nats, see `score`.

    As scikit-learn's metric it takes posteriors below 2.2e-16 for 2.2e-16: 36.04 nats.

    References
    ----------
    Gneiting, Raftery (2007), "Strictly proper scoring rules, prediction, and estimation".
    """
    return score(results, method, "log loss")


def recall(results: Results, method: str) -> list[Interval]:
    """Return for each class the share of its rows that are predicted right; NaN without rows.

    Intervals are Wilson's where every row counts for itself, else as for `score`.
    """
    return _shares(results, method, lambda found, predicted: found.truth)


def precision(results: Results, method: str) -> list[Interval]:
    """Return for each class the share of its predictions that are right; NaN without any."""
    return _shares(results, method, lambda found, predicted: predicted)


def f1(results: Results, method: str) -> list[float]:
    """Return for each class 2·right / (true + predicted); NaN if it is neither anywhere."""
    predicted = results.predicted[results.position(method)]
    tally = Tally.of(results.truth, predicted, len(results.classes))
    return [float(value) for value in measures.f1_by_class(tally)]


def _shares(
    results: Results, method: str, among: Callable[[Results, Codes], Codes]
) -> list[Interval]:
    """Return for each code the share that is right among the rows that have it."""
    every, base = _share_estimates(results, method, among), evidence(results)
    codes = among(results, results.predicted[results.position(method)])
    # Rows that count for themselves; or groups, where a share of 0 or 1 leaves nothing to vary.
    units = independent_counts(results, codes, len(results.classes))
    share = np.array([found.value for found in every])
    plain = _wilsons(np.where(units > 0, share, 0) * units, units)
    if base.independent_rows or not len(codes):
        return plain
    common: list[Estimate | None] = [None] * len(every)
    if results.common is not None:
        common = list(_share_estimates(results.common, method, among))
    return [
        one
        if not 0 < found.value < 1
        else from_spread(found.value, Spread(_spread(results, found, other).variance), 0, 1).within(
            0, 1
        )
        for found, other, one in zip(every, common, plain, strict=True)
    ]


def _share_estimates(
    results: Results, method: str, among: Callable[[Results, Codes], Codes]
) -> list[Estimate]:
    predicted, n_classes = results.predicted[results.position(method)], len(results.classes)
    codes, right = among(results, predicted), results.truth == predicted
    counts = np.bincount(codes, minlength=n_classes).astype(float)
    share = measures.divide(np.bincount(codes[right], minlength=n_classes).astype(float), counts)
    weight = measures.divide(np.full(n_classes, float(len(codes))), counts)
    return [
        Estimate(float(share[k]), np.where(codes == k, (right - share[k]) * weight[k], 0.0))
        for k in range(n_classes)
    ]


def _wilsons(successes: ArrayLike, n: ArrayLike) -> list[Interval]:
    ends = np.stack(wilson(successes, n), axis=1)
    return [Interval(*(float(end) for end in line)) for line in ends]


def expected_cost(results: Results, method: str, costs: ArrayLike) -> Interval:
    """Return the mean cost of a prediction, with an interval as for `score`.

    Parameters
    ----------
    results : Results
    method : str
    costs : array-like of shape (K, K)
        What it costs to take a row of a class (first axis) for another (second axis), in any
        unit; gains are negative.

    Raises
    ------
    ValueError
        When the costs are not K x K finite numbers.
    """
    costs, n_classes = np.asarray(costs, dtype=float), len(results.classes)
    if costs.shape != (n_classes, n_classes) or not np.isfinite(costs).all():
        raise ValueError(f"Costs must be {n_classes} x {n_classes} finite numbers.")
    if not len(results.rows):
        return UNKNOWN

    def paid(seen: Results) -> Estimate:
        return mean_of(costs[seen.truth, seen.predicted[seen.position(method)]])

    found, common = paid(results), None if results.common is None else paid(results.common)
    return from_spread(found.value, _spread(results, found, common), -np.inf, np.inf)


def baselines(results: Results) -> Results:
    """Return what guesses without looking at the features would score, as `Results`.

    "Majority class" always predicts the commonest class and has no posteriors; "Prior only"
    predicts it too, with the shares of the classes as posterior of every row, so that its log
    loss is what any model must beat. The shares are those of the training rows where
    ``settings["training_shares"]`` of shape (K,) holds them, otherwise those of the test rows.
    """
    counts = np.bincount(results.truth, minlength=len(results.classes))
    given = results.settings.get("training_shares")
    shares = np.asarray(counts / max(counts.sum(), 1) if given is None else given, dtype=float)
    with np.errstate(divide="ignore"):
        posterior = np.tile(np.log(shares), (len(results.rows), 1))
    return replace(
        results,
        common=None,
        methods=("Majority class", "Prior only"),
        predicted=np.full((2, len(results.rows)), shares.argmax()),
        log_proba=np.stack([np.full_like(posterior, np.nan), posterior]),
        seconds=np.zeros(2),
    )


def baseline(results: Results, name: str = "accuracy") -> float:
    """Return the score of always predicting the largest class, see `baselines`.

    The balanced accuracy of that is 1/K for K classes that have rows.
    """
    if name == "balanced accuracy":  # also where the class commonest in training is not tested
        return 1 / max(len(np.unique(results.truth)), 1)
    return estimate(baselines(results), "Majority class", name).value


def never_predicted(results: Results, method: str) -> NDArray[np.intp]:
    """Return the codes of the classes that have rows, none of which a method predicts.

    Examples
    --------
    >>> truth = np.array([0, 0, 0, 1])
    >>> r = Results(("LDA",), np.array(["a", "b"]), np.arange(4), truth, 0 * truth[None],
    ...             np.full((1, 4, 2), np.nan), np.zeros(1))
    >>> never_predicted(r, "LDA")
    array([1])
    """
    predicted = results.predicted[results.position(method)]
    return np.setdiff1d(results.truth, predicted)


def table(results: Results, leading: str | None = None) -> pd.DataFrame:
    """Return one line for each method: every score with its interval, seconds, and the group.

    Columns are the names of `SCORES`, the leading one first, each followed by "<name> from" and
    "<name> to"; then "seconds", "group", the number of the group of methods that are not
    significantly different by the leading score (see `lincore.experiments.differences.tiers`),
    and "never predicts", the classes with rows that the method never predicts.

    Parameters
    ----------
    results : Results
    leading : str, optional
        See `lincore.experiments.class_ratio.leading_score`.
    """
    leading = leading or leading_score(results.class_counts)
    group = tiers(results, leading)
    names = sorted(SCORES, key=lambda name: name != leading)
    columns = [f"{name}{end}" for name in names for end in ("", " from", " to")]
    lines = []
    for method in results.methods:
        line: dict[str, object] = {"method": method}
        for name in SCORES:
            found = score(results, method, name)
            line |= {name: found.value, f"{name} from": found.low, f"{name} to": found.high}
        seconds = float(results.seconds[results.position(method)])
        blind = ", ".join(str(label) for label in results.classes[never_predicted(results, method)])
        lines.append(line | {"seconds": seconds, "group": group[method], "never predicts": blind})
    # Named also where a comparison was stopped before a method was finished.
    columns = ["method", *columns, "seconds", "group", "never predicts"]
    return pd.DataFrame(lines, columns=columns).set_index("method")
