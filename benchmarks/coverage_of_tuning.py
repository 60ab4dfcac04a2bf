"""What the score of a model is worth whose options were chosen by inner cross-validation.

Two Gaussian classes in 30 features, or noise; the truth is the loss on 20,000 further rows.
``python -m benchmarks.coverage_of_tuning 400`` says of how many samples.
"""

from __future__ import annotations

import sys

import numpy as np

import lincore
from lincore import metrics
from lincore.data import Dataset

N_FEATURES, POPULATION = 30, 20_000
METHODS = (
    "lda(shrinkage=cv)",
    "lda(shrinkage=cv-1se)",
    "qda(regularization=cv, shrinkage=cv)",
    "logistic(l1_ratio=1, C=cv)",
)


def sample(rng: np.random.Generator, n_rows: int, distance: float) -> Dataset:
    """Return rows of two classes whose means lie `distance` standard deviations apart."""
    codes = np.arange(n_rows) % 2
    X = rng.normal(size=(n_rows, N_FEATURES))
    X[:, 0] += distance * codes
    names = tuple(f"x{i}" for i in range(N_FEATURES))
    return Dataset("made", X, codes, np.array(["a", "b"]), names)


def main() -> None:
    """Print a line for each population and method."""
    n_samples = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    print("distance  method                                 coverage  test - true  inner - true")
    for distance in (0.0, 1.5):
        for method in METHODS:
            rng = np.random.default_rng(39)
            new = sample(rng, POPULATION, distance)
            covered, tested, inner = [], [], []
            for _ in range(n_samples):
                data = sample(rng, 160, distance)
                model = lincore.fit(data, method, lincore.split(data, test_size=0.5))
                proba = model.fitted_model.predict_proba(new.X).to_numpy()
                right = (proba.argmax(axis=1) == new.codes).mean()
                own = np.maximum(proba[np.arange(POPULATION), new.codes], np.finfo(float).eps)
                true = -np.log(own).mean()
                found = metrics.score(model.results, model.name, "accuracy")
                low, high = found.low, found.high
                covered.append(low <= right <= high)
                tested.append(metrics.score(model.results, model.name, "log loss").value - true)
                inner.append(model.tuning().frame()["log loss"].min() - true)
            print(
                f"{distance:>8} {method:<40}{np.mean(covered):>8.1%}"
                + "".join(
                    f"{np.mean(one):>8.3f} ±{np.std(one) / n_samples**0.5:.3f}"
                    for one in (tested, inner)
                )
            )


if __name__ == "__main__":
    main()
