"""Paired bootstrap resamples of the test rows for all methods and scores."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lincore.metrics.auc import area, resampled_areas
from lincore.metrics.confusion_scores import LOSSES, MEASURES, Tally
from lincore.metrics.estimates import has_posteriors, ranking_scores
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units, per_results, row_weights
from lincore.utils.typing import Array, Codes

Weights = NDArray[np.float32]

RESAMPLES = 2000
# Beyond so many rows a bootstrap only repeats, slowly, what the normal limit says.
MOST_ROWS = 20_000
# Up to so many rows x classes areas are ranked anew in each resample; beyond, their derivatives
# are resampled, which for so many rows is the same within a hundredth of the interval.
MOST_RANKED = 5_000
# Losses are multiples of this share of the largest one: sums of up to half a million are exact, and
# so the same in whatever order BLAS adds them up, with one thread or with more.
GRAIN = 2.0**-34
# Weights held at a time: 16 MB, and 32 MB where they are multiplied.
CHUNK = 4_000_000


def weights(results: Results) -> Iterator[Weights]:
    """Yield blocks (m, b) of how often each row stands in each of the 2,000 resamples.

    Whole groups are drawn where rows belong together. The seed is fixed: the same rows give the
    same resamples, whatever the methods are.
    """
    found = find_sampling_units(results)
    rng = np.random.default_rng(0)
    step = max(1, CHUNK // max(len(results.rows), 1))
    for start in range(0, RESAMPLES, step):
        b = min(step, RESAMPLES - start)
        drawn = (
            rng.integers(0, found.n_units, (b, found.n_units))
            + found.n_units * np.arange(b)[:, None]
        )
        counts = np.bincount(drawn.ravel(), minlength=b * found.n_units)
        by_unit = counts.reshape(b, found.n_units).astype(np.float32).T
        yield np.ascontiguousarray(by_unit[found.units])


@per_results
def replicates(results: Results) -> dict[str, Array] | None:
    """Return every score of every method for each resample; None for very many rows.

    Returns
    -------
    dict of str to ndarray of shape (M, B), or None
        NaN where a method has no such score.
    """
    if len(results.rows) > MOST_ROWS:
        return None
    n_classes = len(results.classes)
    ranked = [_ranked_by(results, method) for method in results.methods]
    columns, scales = zip(
        *(_columns(results, i, ranked[i]) for i in range(len(results.methods))), strict=True
    )
    truth, weight = _one_hot(results.truth, n_classes), row_weights(results)
    blocks: dict[str, list[Array]] = {name: [] for name in (*MEASURES, *LOSSES, "AUC")}
    for block in weights(results):
        times = block.T.astype(np.float64)
        if weight is not None:
            times *= weight
        true = times @ truth
        n = true.sum(axis=1)
        sums = [times @ matrix for matrix in columns]
        for name, measure in MEASURES.items():
            tallies = [Tally(s[:, :n_classes], true, s[:, n_classes : 2 * n_classes]) for s in sums]
            blocks[name].append(np.stack([measure.value(tally) for tally in tallies]))
        for j, name in enumerate((*LOSSES, "AUC")):
            means = [s[:, 2 * n_classes + j] / n * c[j] for s, c in zip(sums, scales, strict=True)]
            blocks[name].append(np.stack(means))
        if len(results.rows) * n_classes <= MOST_RANKED:
            for i, values in enumerate(ranked):
                if values is not None:
                    blocks["AUC"][-1][i] = resampled_areas(
                        values, results.truth, block if weight is None else times.T
                    )
    return {name: np.concatenate(parts, axis=1) for name, parts in blocks.items()}


def _summed_exactly(columns: Array) -> tuple[Array, Array]:
    """Return columns (m, c) between -1 and 1, rounded to `GRAIN`, and their scales (c,)."""
    scales = np.nanmax(np.abs(columns), axis=0, initial=0)
    scales[scales == 0] = 1
    return np.round(columns / scales / GRAIN) * GRAIN, scales


def _ranked_by(results: Results, method: str) -> Array | None:
    """Return what rows are ranked by; None where their scores are of different fits."""
    if find_sampling_units(results).one_fit or has_posteriors(results, method):
        return ranking_scores(results, method)
    return None


def _columns(results: Results, i: int, ranked: Array | None) -> tuple[Array, Array]:
    """Return what is to be summed over rows, hits, predictions, losses, and the losses' scales."""
    n_classes, truth = len(results.classes), results.truth
    predicted, log_proba = results.predicted[i], results.log_proba[i]
    linear = np.full((len(truth), len(LOSSES) + 1), np.nan)
    if has_posteriors(results, results.methods[i]):
        for j, loss in enumerate(LOSSES.values()):
            losses = loss(log_proba, truth)
            linear[:, j] = np.where(np.isfinite(losses), losses, np.nan)
    if ranked is not None and len(truth) * n_classes > MOST_RANKED:
        weight = row_weights(results)
        found = area(ranked, truth, weight=weight)
        per_weight = found.influence if weight is None else found.influence / weight
        linear[:, -1] = found.value + per_weight
    hits = _one_hot(predicted, n_classes) * (predicted == truth)[:, None]
    scaled, scales = _summed_exactly(linear)
    return np.hstack([hits, _one_hot(predicted, n_classes), scaled]), scales


def _one_hot(codes: Codes, n_classes: int) -> Array:
    return np.asarray(codes[:, None] == np.arange(n_classes), dtype=np.float64)
