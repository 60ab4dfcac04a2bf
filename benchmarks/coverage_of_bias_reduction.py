"""Bias and coverage of logistic regression on few rows: maximum likelihood, King–Zeng, Firth.

Two features, normal and binary, with log odds 1 each; coverage is that of both coefficients.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from lincore import LogisticRegression

TRUE = np.array([1.0, 1.0])
#: Rows, and log odds of the class where both features are 0.
DESIGNS = ((50, 0.0), (50, -1.5), (100, -2.0), (300, -3.5), (1_000, -4.0))


class Accuracy(NamedTuple):
    """Means over samples.

    Attributes
    ----------
    finite : float
        Share of samples whose classes are not separable; only these count for maximum likelihood
        and King–Zeng.
    bias : ndarray of shape (3, 2)
        Of the coefficients by maximum likelihood, King–Zeng and Firth.
    wald : ndarray of shape (3,)
        Share of 95 % intervals of the coefficients that hold the truth, by Wald.
    profile : float
        The same by the profile of Firth's penalised likelihood.
    """

    finite: float
    bias: np.ndarray
    wald: np.ndarray
    profile: float


def accuracy(n_rows: int, constant: float, n_samples: int) -> Accuracy:
    """Return bias and coverage in samples with at least 2 rows of each class and level."""
    rng = np.random.default_rng(7)
    errors: list[list[np.ndarray]] = [[], [], []]
    held: list[list[np.ndarray]] = [[], [], []]
    profiles, done = [], 0
    while done < n_samples:
        X = np.column_stack([rng.standard_normal(n_rows), rng.uniform(size=n_rows) < 0.4])
        odds = constant + X @ TRUE
        y = (rng.uniform(size=n_rows) < 1 / (1 + np.exp(-odds))).astype(int)
        if min(np.bincount(y, minlength=2).min(), X[:, 1].sum(), (1 - X[:, 1]).sum()) < 2:
            continue
        done += 1
        models = [LogisticRegression(C=np.inf), LogisticRegression(bias_reduction="king-zeng")]
        if not _is_separable(models[0], X, y):
            models[1].fit(X, y)
        else:
            models = []
        models.append(LogisticRegression(bias_reduction="firth").fit(X, y))
        for place, model in zip((0, 1, 2)[-len(models) :], models, strict=True):
            errors[place].append(model.coef_[0] - TRUE)
            low, high = model.wald(X).interval
            held[place].append((low[0, :2] <= TRUE) & (high[0, :2] >= TRUE))
        low, high = models[-1].profile(X, y).interval
        profiles.append((low[0, :2] <= TRUE) & (high[0, :2] >= TRUE))
    return Accuracy(
        len(errors[0]) / n_samples,
        np.array([np.mean(one, axis=0) for one in errors]),
        np.array([np.mean(one) for one in held]),
        float(np.mean(profiles)),
    )


def _is_separable(model: LogisticRegression, X: np.ndarray, y: np.ndarray) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return not model.fit(X, y).converged_


def main() -> None:
    """Print a line for each design."""
    for n_rows, constant in DESIGNS:
        found = accuracy(n_rows, constant, 1_000)
        bias = " | ".join(f"{one[0]:+.2f}, {one[1]:+.2f}" for one in found.bias)
        wald = " | ".join(f"{100 * one:.1f}" for one in found.wald)
        print(
            f"| {n_rows:,} | {constant:g} | {100 * (1 - found.finite):.1f} | {bias} | {wald} | "
            f"{100 * found.profile:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
