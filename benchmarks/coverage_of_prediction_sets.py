"""How often the prediction set of a new row holds its class, calibrated as the dashboard does.

A model is fitted on rows of a population, its sets are calibrated on the predictions of five folds
of the same rows, and both are judged on fresh rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

import lincore
from benchmarks.coverage_designs import DESIGNS, sample
from lincore import metrics
from lincore.data import Dataset, Split

#: Rows that stand for the population.
TESTED = 4_000
METHODS = ("lda", "qda", "logistic")
COVERAGE = 0.9


class Coverage(NamedTuple):
    """Mean over samples of the share of rows whose class is in the set.

    Attributes
    ----------
    marginal : float
        Of one threshold for all classes.
    worst : float
        The same in the class of the lowest coverage.
    by_class : ndarray of shape (K,)
        In each class, of a threshold for each.
    error : float
        Standard error of the means, the largest of the marginal one and those by class.
    """

    marginal: float
    worst: float
    by_class: np.ndarray
    error: float


def coverage(design: str, method: str, n_rows: int, n_samples: int) -> Coverage:
    """Return the coverage of the sets of a method, fitted and calibrated on `n_rows` rows."""
    rng, shares = np.random.default_rng(9), DESIGNS[design]
    names = tuple(f"x{j}" for j in range(4))
    found = []
    for _ in range(n_samples):
        X, codes = sample(n_rows + TESTED, shares, rng)
        while np.bincount(codes[:n_rows], minlength=len(shares)).min() < 10:
            X, codes = sample(n_rows + TESTED, shares, rng)
        data = Dataset("drawn", X, codes, np.arange(len(shares)).astype(str), names)
        split = Split(np.arange(n_rows), np.arange(n_rows, len(X)))
        model = lincore.fit(data, method, split)
        inner = model.held_out()
        line = []
        for by_class in (False, True):
            rule = metrics.conformal_sets(inner, model.name, COVERAGE, by_class=by_class)
            sets = rule.sets(model.results.log_proba[0])
            inside = sets[np.arange(TESTED), model.results.truth]
            truth = model.results.truth
            line.append([inside.mean(), *(inside[truth == k].mean() for k in range(len(shares)))])
        found.append(line)
    mean, spread = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(n_samples)
    error = max(spread[0, 0], spread[1, 1:].max())
    return Coverage(mean[0, 0], mean[0, 1:].min(), mean[1, 1:], error)


def main() -> None:
    """Print a line for each design, method and number of rows."""
    for design in DESIGNS:
        for method in METHODS:
            for n_rows in (100, 300, 1_000):
                if n_rows * min(DESIGNS[design]) < 20:
                    continue
                found = coverage(design, method, n_rows, 200)
                own = " ".join(f"{100 * value:.1f}" for value in found.by_class)
                print(
                    f"| {design} | {method} | {n_rows:,} | {100 * found.marginal:.1f} | "
                    f"{100 * found.worst:.1f} | {own} | {100 * found.error:.1f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
