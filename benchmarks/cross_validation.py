"""Cross-validation of five classifiers from one pass, against scikit-learn's fit in every fold.

Run ``python benchmarks/cross_validation.py``. Times are compared in turns in this run, on the same
rows (MNIST as bytes) and the same folds. The five are LDA, QDA, Gaussian naive Bayes, least
squares and Fisher; on scikit-learn's side LDA (default), QDA, GaussianNB, RidgeClassifier and, for
Fisher, LDA (eigen). Every pipeline is fitted anew in every fold on both sides, its steps included.

1. Ten folds of 60,000 x 784, PCA(50) inside every fold. What scikit-learn's `cross_val_predict`
   does (clone, fit, predict) is timed on `MEASURED` of the ten folds and multiplied by ten over
   that number: all folds are of one size. Also against a plain ``X.T @ X`` and the products that
   prediction cannot do without: the rows by 50 components once, and those by each classifier's
   own matrices.
2. Ten times ten folds of 2,700 x 50, three classes, standardised. scikit-learn's
   `cross_val_predict` is timed on one of the ten repetitions and multiplied by ten.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import Ratio, finish, mnist, require, seconds
from sklearn.base import clone
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as ScikitLDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis as ScikitQDA
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB as ScikitNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lincore
from lincore.data import Dataset, Fold
from lincore.model_selection import Steps, plan_folds

OURS = ["lda", "qda", "naive-bayes", "least-squares", "fisher"]
THEIRS: list[Any] = [
    ScikitLDA(),
    ScikitQDA(),
    ScikitNB(),
    RidgeClassifier(),
    ScikitLDA(solver="eigen"),
]
MEASURED = 1
TURNS = 3
# The small problem takes a second a turn, and noise lasts longer than one of them.
SMALL_TURNS = 15


def main() -> None:
    """Print the ratios; end with an error if a bound is missed."""
    large_problem()
    small_problem()
    finish()


def large_problem() -> None:
    """Ten folds of MNIST."""
    arrays = mnist()
    data = dataset(arrays["X_train"], arrays["y_train"], "MNIST", image_shape=(28, 28))
    steps, plan = Steps(n_components=50), plan_folds(data, "10-fold")
    X = data.X.astype(np.float64)
    pairs = [
        (
            seconds(lambda: lincore.compare(data, OURS, "10-fold", steps=steps)),
            seconds(lambda: X.T @ X) + products(X, data.n_classes, 50),
        )
        for _ in range(TURNS)
    ]
    require("ten folds of five / X.T @ X and prediction's products", ratios(pairs), at_most=6)
    # Each beside the other, for the machine is now faster and now slower.
    pairs = [
        (
            10 / MEASURED * seconds(lambda: fold_by_fold(data, PCA(50), plan[:MEASURED])),
            seconds(lambda: lincore.compare(data, OURS, "10-fold", steps=steps)),
        )
        for _ in range(TURNS)
    ]
    what = f"scikit-learn's five (10 / {MEASURED} of {MEASURED} fold) / ours, MNIST"
    require(what, ratios(pairs), at_least=15)
    results = lincore.compare(data, OURS, plan_pairs(plan[:1]), steps=steps)
    report_agreement(results, fold_by_fold(data, PCA(50), plan[:1]))


def small_problem() -> None:
    """Ten times ten folds of 2,700 rows."""
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(3), 900)
    X = rng.standard_normal((2700, 50)) + 0.3 * rng.standard_normal((3, 50))[codes]
    data = dataset(X, codes, "2,700 x 50")
    plan = plan_folds(data, "10-fold")

    def cross_validate() -> list[np.ndarray]:
        return [
            cross_val_predict(make_pipeline(StandardScaler(), model), X, codes, cv=plan_pairs(plan))
            for model in THEIRS
        ]

    lincore.compare(data, OURS, "10-fold")
    pairs = [
        (
            10 * seconds(cross_validate),
            seconds(lambda: lincore.compare(data, OURS, "10x10-fold")),
        )
        for _ in range(SMALL_TURNS)
    ]
    require("scikit-learn's five (10 x 1 repetition) / ours, 10x10", ratios(pairs), at_least=20)
    predicted = [labels[np.concatenate([f.test for f in plan])] for labels in cross_validate()]
    report_agreement(lincore.compare(data, OURS, "10-fold"), predicted)


def dataset(X: np.ndarray, codes: np.ndarray, name: str, **more: Any) -> Dataset:
    """Return arrays as a data set."""
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    return Dataset(name, X, codes.astype(np.intp), np.unique(codes), names, **more)


def products(X: np.ndarray, n_classes: int, n_components: int) -> float:
    """Return the seconds of the products that predicting every row by all five needs."""
    basis = np.full((X.shape[1], n_components), 0.5)
    scores = X @ basis
    planes = np.full((n_components, n_classes), 0.5)
    whiteners = np.full((n_components, n_classes * n_components), 0.5)
    # LDA, least squares and Fisher have planes; naive Bayes two sets of them; QDA whiteners.
    return (
        seconds(lambda: X @ basis)
        + 5 * seconds(lambda: scores @ planes)
        + seconds(lambda: scores @ whiteners)
    )


def fold_by_fold(data: Dataset, step: Any, plan: list[Fold]) -> list[np.ndarray]:
    """Do what `cross_val_predict` does, on some of its folds: labels by classifier."""
    return [
        np.concatenate(
            [
                clone(make_pipeline(step, model))
                .fit(data.X[fold.train], data.codes[fold.train])
                .predict(data.X[fold.test])
                for fold in plan
            ]
        )
        for model in THEIRS
    ]


def plan_pairs(plan: list[Fold]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return a plan as scikit-learn takes it."""
    return [(fold.train, fold.test) for fold in plan]


def ratios(pairs: list[tuple[float, float]]) -> Ratio:
    """Compare pairs of times."""
    found = [first / second for first, second in pairs]
    return Ratio(float(np.median(found)), min(found), max(found))


def report_agreement(results: lincore.Results, theirs: list[np.ndarray]) -> None:
    """Print how many labels agree; models differ by definition in small ways."""
    for name, own, other in zip(results.methods, results.predicted, theirs, strict=True):
        right = np.mean(own == results.truth)
        print(f"       {name}: accuracy {right:.4f}, equal labels {np.mean(own == other):.4f}")


if __name__ == "__main__":
    main()
