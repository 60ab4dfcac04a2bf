"""Permutation test of a score against predictions that are independent of the classes."""

from __future__ import annotations

import numpy as np
from scipy.stats import random_table

from lincore.metrics.estimates import confusion_matrix
from lincore.metrics.results import Results
from lincore.metrics.sampling_units import find_sampling_units, per_results, row_weights
from lincore.utils.typing import Array, Codes

#: Work of a test: cells of all tables, or permuted rows (about 20 ms), and bounds on their number.
_CELLS, _ROWS, _FEWEST, _MOST = 200_000, 1_000_000, 199, 999
_SEED = 0
#: Scores closer than this are ties.
_ROUNDING = 1e-12


@per_results
def permutation_p(results: Results, method: str, name: str) -> float:
    """Return the two-sided p-value of a score if predictions and classes were independent.

    The true labels are permuted among the rows while the predictions stay: within folds (those of
    the first repetition), and as whole groups if rows are grouped, whose labels are assigned to the
    rows in random order. Weights move with the labels. In leave-one-out labels are permuted over
    all folds. The balanced accuracy of permuted labels is 1/K on average, as for the majority-class
    baseline; their accuracy is at most that of the baseline.

    Over folds predictions depend on the labels, because a row trains the models of the other folds:
    the variance of the permuted scores is multiplied by 1 + n / n_train for n rows, as Nadeau and
    Bengio do. In leave-one-out scores below chance are usual, because the training rows lack the
    class of the row: p is twice that of scores above chance.

    Parameters
    ----------
    method : str
        One of ``results.methods``.
    name : {"accuracy", "balanced accuracy"}

    Returns
    -------
    float
        At least 2 / 1,000; 2 / 200 for many classes, and for more than 5,000 rows with weights,
        groups or repetitions.

    Raises
    ------
    ValueError
        For another score.

    References
    ----------
    Ojala, Garriga (2010), "Permutation tests for studying classifier performance"; Nadeau, Bengio
    (2003), "Inference for the generalization error".

    Examples
    --------
    >>> codes = np.arange(40) % 2
    >>> r = Results(("LDA",), np.array(["a", "b"]), np.arange(40), codes,
    ...             np.where(np.arange(40) < 4, 0, codes)[None],
    ...             np.log(np.full((1, 40, 2), 0.5)), np.zeros(1))
    >>> permutation_p(r, "LDA", "accuracy")
    0.002
    """
    if name not in ("accuracy", "balanced accuracy"):
        raise ValueError(f"Permutations test accuracy and balanced accuracy, not {name!r}.")
    counts = confusion_matrix(results, method).sum(axis=1)
    # Contribution of a correct row of each class.
    worth = np.full(len(counts), 1.0)
    if name == "balanced accuracy":
        worth = np.divide(1.0, counts, out=np.zeros(len(counts)), where=counts > 0)
    base, weight = find_sampling_units(results), row_weights(results)
    rng = np.random.default_rng(_SEED)
    is_plain = results.settings.row_groups is None and weight is None and base.repeats <= 1
    if is_plain and len(counts) ** 2 < len(results.rows):
        observed, permuted = _permute_tables(results, method, worth, rng)
    else:
        observed, permuted = _permute_rows(results, method, worth, rng)
    if not base.one_fit:
        # n / n_train, from n_test / n_train, as every row is tested equally often.
        per_training_row = base.ratio * base.n_folds / base.repeats
        permuted = permuted.mean() + np.sqrt(1 + per_training_row) * (permuted - permuted.mean())
    slack = _ROUNDING * max(abs(observed), 1)
    above, below = (permuted >= observed - slack).sum(), (permuted <= observed + slack).sum()
    tail = above if base.one_row_folds else min(above, below)
    return min(1.0, 2 * float(tail + 1) / (len(permuted) + 1))


def _n_permutations(affordable: int) -> int:
    return int(np.clip(affordable, _FEWEST, _MOST))


def _permute_tables(
    results: Results, method: str, worth: Array, rng: np.random.Generator
) -> tuple[float, Array]:
    """Draw confusion matrices with the same margins, which is equivalent to permuting rows."""
    predicted, n_classes = results.predicted[results.position(method)], len(worth)
    base = find_sampling_units(results)
    strata = np.zeros_like(base.folds) if base.one_row_folds else base.folds
    n_strata = strata.max(initial=0) + 1
    cells = (strata * n_classes + results.truth) * n_classes + predicted
    tables = np.bincount(cells, minlength=n_strata * n_classes**2).reshape(-1, *(n_classes,) * 2)
    permuted = np.zeros(_n_permutations(_CELLS // tables.size))
    for table in tables:
        drawn = random_table.rvs(
            table.sum(axis=1), table.sum(axis=0), method="patefield", size=len(permuted),
            random_state=rng,
        )  # fmt: skip
        permuted += np.diagonal(drawn, axis1=1, axis2=2) @ worth
    return float(np.diagonal(tables, axis1=1, axis2=2).sum(axis=0) @ worth), permuted


def _permute_rows(
    results: Results, method: str, worth: Array, rng: np.random.Generator
) -> tuple[float, Array]:
    """Permute rows, or groups, keeping predictions of all repetitions together."""
    rows, first, row_of_prediction = np.unique(results.rows, return_index=True, return_inverse=True)
    n, n_classes = len(rows), len(worth)
    predicted = results.predicted[results.position(method)]
    n_votes = np.bincount(row_of_prediction * n_classes + predicted, minlength=n * n_classes)
    votes = n_votes.reshape(n, n_classes) / np.bincount(row_of_prediction)[:, None]
    weight, groups = row_weights(results), results.settings.row_groups
    codes = results.truth[first]
    gains = worth[codes] if weight is None else worth[codes] * weight[first]
    base = find_sampling_units(results)
    blocks = base.folds[first] if groups is None else base.units[first]
    if groups is None and base.one_row_folds:
        blocks = np.zeros(n, dtype=np.intp)
    order = np.argsort(blocks, kind="stable")
    votes, codes, gains = votes[order], codes[order], gains[order]
    sizes = np.bincount(blocks)
    sizes, starts = sizes[sizes > 0], n_classes * np.arange(n)
    permuted = np.empty(_n_permutations(_ROWS // n))
    for b in range(len(permuted)):
        drawn = (
            _permute_within_blocks(sizes, rng) if groups is None else _permute_blocks(sizes, rng)
        )
        permuted[b] = votes.take(starts + codes.take(drawn)) @ gains.take(drawn)
    return float(votes.take(starts + codes) @ gains), permuted


def _permute_within_blocks(sizes: Codes, rng: np.random.Generator) -> Codes:
    """Return rows permuted within blocks of the given sizes."""
    ends = np.cumsum(sizes)
    return np.concatenate(
        [end - size + rng.permutation(size) for size, end in zip(sizes, ends, strict=True)]
    )


def _permute_blocks(sizes: Codes, rng: np.random.Generator) -> Codes:
    """Return the rows of blocks of the given sizes, with the blocks in random order."""
    order = rng.permutation(len(sizes))
    starts = (np.cumsum(sizes) - sizes)[order]
    before = np.cumsum(sizes[order]) - sizes[order]
    return np.repeat(starts - before, sizes[order]) + np.arange(sizes.sum())
