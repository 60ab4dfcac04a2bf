"""Scores of a `Results`, each defined once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lincore.metrics import confusion_scores
from lincore.metrics.auc import delong_interval
from lincore.metrics.confusion_scores import Tally, enlarged_cells, influence_by_cell
from lincore.metrics.estimates import (
    SCORES,
    Estimate,
    Score,
    confusion_matrix,
    estimate,
    has_posteriors,
    ranking_scores,
    weighted,
)
from lincore.metrics.intervals import (
    ADDED_ROWS,
    FEWEST_ROWS,
    FEWEST_ROWS_OF_LOSS,
    LEVEL,
    WIDEST_LOSS,
    Enlarged,
    Interval,
    Spread,
    area_pull,
    enlarged,
    from_enlarged,
    from_spread,
    row_spread,
    stratified_spread,
    wilson,
)
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import (
    find_sampling_units,
    independent_counts,
    per_results,
    row_weights,
)
from lincore.metrics.training_variance import share_influence, softened, training_variance
from lincore.utils.typing import Array, Codes

__all__ = [
    "LEVEL",
    "SCORES",
    "Estimate",
    "Interval",
    "Score",
    "accuracy",
    "majority_baseline_score",
    "baseline_results",
    "confusion_matrix",
    "estimate",
    "f1",
    "has_posteriors",
    "never_predicted",
    "precision",
    "recall",
    "score",
]


def score(results: Results, method: str, name: str) -> Interval:
    """Return a score with its 95 % interval, by the rule for the score and the scheme.

    On one test set the interval refers to this fitted model; over folds, to the method's average
    score when trained on as many rows. For the coverage of the intervals see docs/coverage.md.

    - Variance: that of the tested rows, each counted once however often it was predicted. Over
      folds ``1 + n_test / n_train`` times that, plus the contribution of the training rows: a
      jackknife over the models of the folds (`training_variance`), and for scores of predictions
      the effect of other class shares (`share_influence`; in leave-one-out the models show it,
      because their shares differ).
    - Form: Wilson's for the effective number of rows, for losses on the log scale, see
      `from_spread`. For scores in which all classes count equally it is that of Price and Bonett,
      with rows added to every class (`enlarged`).
    - Quantiles: over folds Student's, with the degrees of freedom of the training rows' part. On
      one test set normal, so that the accuracy of independent rows has Wilson's interval itself;
      but for losses and groups of rows Student's, with the effective degrees of freedom of the
      variance.
    - All NaN: if there is no such score, see `lincore.metrics.estimates.missing_score_reason`.
    - Only the limits NaN: for a score in which all classes count equally if one of them has fewer
      than 8 rows, for a loss on one test set if one has fewer than 3 (`few_rows`), for a loss so
      dominated by a few rows that the interval would reach beyond ten times the loss
      (`is_carried_by_few`), and for the log loss if posteriors are exactly 0 and too few rows show
      how often wrongly (`has_untested_zeros`).

    Parameters
    ----------
    name : str
        One of `SCORES`.

    Raises
    ------
    KeyError
        If there is no such method or score.
    ValueError
        If a row occurs twice in one test set.

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
    (value, influence, _), kind = estimate(results, method, name), SCORES[name]
    if not np.isfinite(value):
        return Interval(value, value, value)
    if few_rows(results, name) or has_untested_zeros(results, method, name):
        return Interval(value, np.nan, np.nan)
    if name == "AUC":
        inner = _interval_of_area(results, method)
    elif kind.by_class:
        inner = _interval_by_class(results, method, name)
    elif name == "accuracy":
        inner = _interval_of_accuracy(results, method)
    else:
        common = None if results.common is None else estimate(results.common, method, name)
        spread = _spread(results, influence, training_part(results, influence, common))
        if (base := find_sampling_units(results)).one_fit:
            spread = stratified_spread(influence, base, results.truth, results.class_counts)
        inner = from_spread(value, spread, kind.lowest, np.inf)
        if inner.high > WIDEST_LOSS * value:
            return Interval(value, np.nan, np.nan)
    return inner.within(kind.lowest, kind.highest)


def _interval_of_accuracy(results: Results, method: str) -> Interval:
    """Return Wilson's interval, also if all rows (groups) are correct, or none is."""
    value, influence, _ = estimate(results, method, "accuracy")
    base = find_sampling_units(results)
    if value in (0.0, 1.0):
        return _wilson_intervals([value * base.n_effective], [base.n_effective])[0]
    if base.one_fit:
        spread = row_spread(influence, base)._replace(degrees=base.degrees_of_groups)
        return from_spread(value, spread, 0, 1)
    by_cell = influence_by_cell("accuracy", confusion_matrix(results, method).astype(float))
    return from_spread(value, _cell_spread(results, method, by_cell), 0, 1)


def _interval_by_class(results: Results, method: str, name: str) -> Interval:
    """Return the interval of balanced accuracy, macro F1 or MCC, see `enlarged`."""
    counts = independent_counts(results, results.truth, len(results.classes))
    table = confusion_matrix(results, method).astype(float)
    by_cell, right, wrong = enlarged_cells(name, table, ADDED_ROWS / len(counts) / counts)
    predicted = results.predicted[results.position(method)]
    value = estimate(results, method, name).value
    padded = enlarged(
        value, weighted(by_cell[results.truth, predicted], row_weights(results)),
        results.truth, counts, right, wrong,
    )  # fmt: skip
    spread = _cell_spread(results, method, by_cell, padded.influence)
    return _enlarged_interval(results, value, padded, spread)


def _interval_of_area(results: Results, method: str) -> Interval:
    """Return the interval of the AUC, see `enlarged`: added rows are ranked first or last."""
    value, influence, by_row = estimate(results, method, "AUC")
    if has_delongs_interval(results):
        ranked_by = ranking_scores(results, method)
        assert ranked_by is not None  # otherwise there is no area
        return delong_interval(ranked_by[:, 1] - ranked_by[:, 0], results.truth == 1)
    counts = independent_counts(results, results.truth, len(results.classes))
    pull = area_pull(counts)
    padded = enlarged(
        value, by_row * influence, results.truth, counts,
        pull * (1 - value), -pull * value, ADDED_ROWS // 2,
    )  # fmt: skip
    common = None if results.common is None else estimate(results.common, method, "AUC")
    spread = _spread(results, padded.influence, training_part(results, influence, common))
    return _enlarged_interval(results, value, padded, spread)


def _enlarged_interval(
    results: Results, value: float, padded: Enlarged, spread: Spread
) -> Interval:
    added = padded.variance * (1 + find_sampling_units(results).ratio)
    return from_enlarged(value, padded.value, Spread(spread.variance + added, spread.degrees))


def has_delongs_interval(results: Results) -> bool:
    """Return whether the interval of the AUC is DeLong's: if requested and applicable."""
    units = find_sampling_units(results)
    independent = units.one_fit and units.independent_rows
    requested = results.settings.auc_interval == "DeLong"
    return bool(requested and independent and len(results.classes) == 2)


def few_rows(results: Results, name: str) -> list[int]:
    """Return the codes of the classes that have too few rows for an interval of a score."""
    kind = SCORES[name]
    is_loss = kind.needs_posteriors and find_sampling_units(results).one_fit
    if not (kind.by_class or is_loss):
        return []
    counts = independent_counts(results, results.truth, len(results.classes))
    if kind.by_class:
        return np.flatnonzero(counts < FEWEST_ROWS).tolist()
    return np.flatnonzero((counts < FEWEST_ROWS_OF_LOSS) & (results.class_counts > 0)).tolist()


@per_results
def has_untested_zeros(results: Results, method: str, name: str) -> bool:
    """Return whether a log loss has no interval because posteriors are exactly 0."""
    # A row whose own class has the posterior 0 costs 36 nats. Until some rows (groups) have shown
    # how often that happens, the other rows say nothing about the mean (docs/coverage.md).
    log_proba = results.log_proba[results.position(method)]
    if name != "log loss" or not np.isneginf(log_proba).any():
        return False
    is_wrong = np.isneginf(log_proba[np.arange(len(results.truth)), results.truth])
    return len(np.unique(find_sampling_units(results).units[is_wrong])) < FEWEST_ROWS


def is_carried_by_few(results: Results, method: str, name: str) -> bool:
    """Return whether a loss has no interval because a few rows dominate it."""
    interval = score(results, method, name)
    return (
        SCORES[name].needs_posteriors
        and bool(np.isfinite(interval.value) and np.isnan(interval.low))
        and not few_rows(results, name)
        and not has_untested_zeros(results, method, name)
        and find_sampling_units(results).n_units > 1
    )


def _cell_spread(
    results: Results, method: str, by_cell: Array, influence: Array | None = None
) -> Spread:
    """Return the variance of a score of predictions, see `_spread`."""
    # The contribution of the training rows is computed from softened labels, see `softened`.
    weight = row_weights(results)
    if influence is None:
        predicted = results.predicted[results.position(method)]
        influence = weighted(by_cell[results.truth, predicted], weight)
    if (base := find_sampling_units(results)).one_fit:
        return _spread(results, influence)
    soft = _softened_labels(results, method)
    if not base.one_row_folds:  # whose models have different shares
        of_class = share_influence(by_cell, results.truth, soft, weight)
        influence = influence + weighted(of_class[results.truth], weight)
    if results.common is None:
        return _spread(results, influence)
    common = softened_influence(results.common, method, by_cell)
    tested = softened_influence(results, method, by_cell)
    return _spread(results, influence, training_part(results, tested, Estimate(np.nan, common)))


def softened_influence(results: Results, method: str, by_cell: Array) -> Array:
    """Return the influence of each prediction (m,) with softened labels, see `softened`."""
    influence = (_softened_labels(results, method) * by_cell[results.truth]).sum(axis=1)
    return weighted(influence, row_weights(results))


def _softened_labels(results: Results, method: str) -> Array:
    """Return softened labels (m, K), zeros and ones for a method without posteriors."""
    i = results.position(method)
    if has_posteriors(results, method):
        return softened(results.log_proba[i])
    return np.eye(len(results.classes))[results.predicted[i]]


def _spread(results: Results, influence: Array, training: float = 0.0) -> Spread:
    """Return the variance of an estimate due to the tested rows (m,) and the training rows."""
    # The degrees of freedom are Satterthwaite's: the tested rows' part has the number of groups
    # minus one (infinite without groups), the training rows' part that of the folds of a
    # repetition.
    base = find_sampling_units(results)
    rows = stratified_spread(influence, base, results.truth, results.class_counts)
    variance = rows.variance * (1 + base.ratio) + training
    if not variance > 0:
        return Spread(variance)
    share = training / variance
    parts = (1 - share) ** 2 / base.degrees_of_groups + share**2 * base.ratio
    return Spread(variance, 1 / parts if parts > 0 else np.inf)


def training_part(results: Results, influence: Array, common: Estimate | None) -> float:
    """Return the contribution of the training rows to the variance, from the common rows."""
    if results.common is None or common is None or not len(common.influence):
        return 0.0
    base, known = find_sampling_units(results), find_sampling_units(results.common)
    means = np.bincount(base.folds, influence) / np.bincount(base.folds)
    width = 1 + max(results.fold.max(), results.common.fold.max())
    folds, common_folds = (
        np.unique(r.repetition * width + r.fold) for r in (results, results.common)
    )
    means = means[np.isin(folds, common_folds)]
    return training_variance(common.influence, means, known.n_folds, base.ratio, common.by_row)


def accuracy(results: Results, method: str) -> Interval:
    """Return the share of correctly predicted rows, see `score`."""
    return score(results, method, "accuracy")


def recall(results: Results, method: str) -> list[Interval]:
    """Return the recall of each class; NaN without rows.

    Intervals are Wilson's if rows are independent, otherwise as for `score`.

    Parameters
    ----------
    method : str
        One of ``results.methods``.
    """
    return _shares(results, method, lambda truth, predicted: truth)


def precision(results: Results, method: str) -> list[Interval]:
    """Return the precision of each class; NaN without predictions.

    Parameters
    ----------
    method : str
        One of ``results.methods``.
    """
    return _shares(results, method, lambda truth, predicted: predicted)


def f1(results: Results, method: str) -> list[float]:
    """Return the F1 of each class, 2·correct / (true + predicted); NaN if both are zero.

    Parameters
    ----------
    method : str
        One of ``results.methods``.

    Returns
    -------
    list of float, length K
        Between 0 and 1.
    """
    predicted = results.predicted[results.position(method)]
    tally = Tally.of(results.truth, predicted, len(results.classes), row_weights(results))
    return [float(value) for value in confusion_scores.f1_by_class(tally)]


def _shares(
    results: Results, method: str, codes_of: Callable[[Codes, Codes], Codes]
) -> list[Interval]:
    """Return the share of correct rows for each code."""
    predicted, n_classes = results.predicted[results.position(method)], len(results.classes)
    codes = codes_of(results.truth, predicted)
    # Independent rows; or groups, if a share of 0 or 1 has no variance.
    units = independent_counts(results, codes, n_classes)
    weight = row_weights(results)
    counts = np.bincount(codes, weight, n_classes).astype(float)
    hits = weighted((results.truth == predicted).astype(float), weight)
    correct = np.bincount(codes, hits, n_classes).astype(float)
    share = confusion_scores.divide(correct, counts)
    intervals = _wilson_intervals(np.where(units > 0, share, 0) * units, units)
    if find_sampling_units(results).independent_rows:
        return intervals
    truths, labels = np.indices((n_classes, n_classes))
    cells = codes_of(truths, labels)
    for k in np.flatnonzero((share > 0) & (share < 1)):
        by_cell = (cells == k) * ((truths == labels) - share[k]) * len(codes) / counts[k]
        spread = _cell_spread(results, method, by_cell)
        intervals[k] = from_spread(float(share[k]), spread, 0, 1).within(0, 1)
    return intervals


def _wilson_intervals(successes: ArrayLike, n: ArrayLike) -> list[Interval]:
    ends = np.stack(wilson(successes, n), axis=1)
    return [Interval(*(float(end) for end in line)) for line in ends]


def baseline_results(results: Results) -> Results:
    """Return `Results` of baselines that ignore the features.

    "Majority class" always predicts the most frequent class and has no posteriors; "Prior only"
    predicts it too, with the class shares as posterior of every row, so any useful model must beat
    its log loss. The shares are those of the training rows in ``settings.training_shares`` if
    given, otherwise those of the test rows.
    """
    counts = np.bincount(results.truth, row_weights(results), len(results.classes))
    given = results.settings.training_shares
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


def majority_baseline_score(results: Results, name: str = "accuracy") -> float:
    """Return the score of always predicting the largest class, see `baseline_results`.

    The balanced accuracy of that is 1/K for K classes that have rows.

    Parameters
    ----------
    name : str
        One of `SCORES`.

    Returns
    -------
    float
        In the unit of the score.
    """
    if name == "balanced accuracy":  # also if the most frequent training class is not tested
        return 1 / max(len(np.unique(results.truth)), 1)
    return estimate(baseline_results(results), "Majority class", name).value


def never_predicted(results: Results, method: str) -> NDArray[np.intp]:
    """Return the codes of the classes with rows that a method never predicts."""
    predicted = results.predicted[results.position(method)]
    return np.setdiff1d(results.truth, predicted)
