"""Whether the circles of a canonical plot contain the class means, as projected by its functions.

Gaussian classes with one covariance matrix, or t distributions; the means of all classes equal, or
apart along the first features. ``python -m benchmarks.coverage_of_canonical_circles 1000`` says of
how many samples.
"""

from __future__ import annotations

import sys

import numpy as np
from scipy.stats import chi2

from lincore.inspection import canonical_analysis

#: Rows of the classes, features, and degrees of freedom of the t distribution.
DESIGNS = (
    ((50, 50, 50), 4, np.inf),
    ((100, 20, 20), 4, np.inf),
    ((15, 15, 15), 8, np.inf),
    ((30,) * 5, 6, np.inf),
    ((500, 500, 500), 4, np.inf),
    ((50, 50, 50), 4, 3.0),
)


def coverage(
    sizes: tuple[int, ...],
    p: int,
    tails: float,
    distance: float,
    n_samples: int,
    limits: np.ndarray | None,
) -> float:
    """Return the share of class means inside their circles, or limits of squared distances."""
    rng, codes = np.random.default_rng(39), np.repeat(np.arange(len(sizes)), sizes)
    true = np.zeros((len(sizes), p))
    true[1:, : len(sizes) - 1] = distance * np.eye(len(sizes) - 1, min(p, len(sizes) - 1))
    hits = []
    for _ in range(n_samples):
        X = rng.standard_normal((len(codes), p))
        if np.isfinite(tails):
            X = rng.standard_t(tails, X.shape)
        X += true[codes]
        found = canonical_analysis(X, codes)
        means = (true - X.mean(axis=0)) @ found.raw
        squares = ((means - found.centroids)[:, :2] ** 2).sum(axis=1)
        hits.append(squares <= (found.radii**2 if limits is None else limits))
    return float(np.mean(hits))


def main() -> None:
    """Print a line for each design."""
    n_samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print("rows of the classes, features, t; equal means, 1 and 3 apart; circles of candisc")
    for sizes, p, tails in DESIGNS:
        known = chi2.ppf(0.95, 2) / np.array(sizes)
        found = [
            coverage(sizes, p, tails, distance, n_samples, limits)
            for limits in (None, known)
            for distance in (0.0, 1.0, 3.0)
        ]
        print(f"{sizes!s:<26} {p} {tails:<6}" + "".join(f"{share:>11.1%}" for share in found))


if __name__ == "__main__":
    main()
