"""Error of LDA with and without outliers in the training rows, by sample and robust covariances."""

from __future__ import annotations

import numpy as np

from lincore import LinearDiscriminantAnalysis

#: Features, distance of the two means, and rows of the clean population.
P, DISTANCE, TESTED = 4, 2.5, 4_000
SHARES = (0.0, 0.05, 0.1, 0.2)


def errors(n_rows: int, share: float, n_samples: int) -> tuple[float, float]:
    """Return the mean error on clean rows of LDA by sample and by robust covariances.

    Of class 0 a share of the training rows lies ten deviations away, beyond class 1 along the first
    feature and across it along the second.
    """
    rng, found = np.random.default_rng(8), []
    for _ in range(n_samples):
        codes = np.arange(n_rows + TESTED) % 2
        X = rng.standard_normal((len(codes), P))
        X[:, 0] += DISTANCE * codes
        first = np.flatnonzero(codes[:n_rows] == 0)
        moved = first[: round(share * len(first))]
        X[moved] += np.eye(P)[0] * 10 + np.eye(P)[1] * 10
        train, test = slice(0, n_rows), slice(n_rows, None)
        models = (LinearDiscriminantAnalysis(), LinearDiscriminantAnalysis(covariance="mcd"))
        found.append(
            [1 - model.fit(X[train], codes[train]).score(X[test], codes[test]) for model in models]
        )
    plain, robust = np.mean(found, axis=0)
    return float(plain), float(robust)


def main() -> None:
    """Print a line for each number of rows and share of outliers."""
    for n_rows in (60, 200, 600):
        for share in SHARES:
            plain, robust = errors(n_rows, share, 100)
            print(f"| {n_rows} | {share:.0%} | {plain:.1%} | {robust:.1%} |", flush=True)


if __name__ == "__main__":
    main()
