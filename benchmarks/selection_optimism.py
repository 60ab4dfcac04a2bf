"""What stepwise selection before the folds seems to gain, where there is nothing to gain.

Classes of equal sizes, with features that do not depend on them, or of which two do. LDA on
features selected in every training set of 10-fold cross-validation, or once on all rows.
``python -m benchmarks.selection_optimism 300`` says how many data sets.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

import numpy as np

import lincore
from lincore.utils import captured_warnings


class Design(NamedTuple):
    """Rows, features and classes; the distance between means along each of two features."""

    n_rows: int
    n_features: int
    n_classes: int
    distance: float


DESIGNS = (
    Design(60, 10, 2, 0.0),
    Design(60, 50, 2, 0.0),
    Design(200, 50, 2, 0.0),
    Design(90, 50, 3, 0.0),
    Design(60, 50, 2, 1.0),
    Design(200, 50, 2, 1.0),
)


def optimism(design: Design, seed: int) -> tuple[float, ...]:
    """Return accuracy inside and on all rows, their difference, its interval and its p."""
    rng, codes = np.random.default_rng(seed), np.arange(design.n_rows) % design.n_classes
    X = rng.standard_normal((design.n_rows, design.n_features))
    X[:, :2] += design.distance * codes[:, None]
    with captured_warnings():
        results = lincore.compare((X, codes), "lda(selection=stepwise)", "10-fold", seed=seed)
    (line,) = results.selection_optimism(score="accuracy").frame().to_numpy()[:, 1:]
    return tuple(map(float, line))


def main() -> None:
    """Print a line for each design."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    print("rows features classes distance   inside   outside  optimism  covered  p < 0.05")
    for design in DESIGNS:
        found = np.array([optimism(design, seed) for seed in range(times)])
        inside, outside, gain, low, high, p = found.T
        covered = np.mean((low <= gain.mean()) & (gain.mean() <= high))
        print(
            f"{design.n_rows:4}{design.n_features:9}{design.n_classes:8}{design.distance:9.1f}"
            f"{inside.mean():9.1%}{outside.mean():10.1%}{gain.mean():10.1%}{covered:9.1%}"
            f"{np.mean(p < 0.05):10.1%}"
        )


if __name__ == "__main__":
    main()
