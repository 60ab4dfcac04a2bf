"""Linear classifiers and their geometry, compared honestly.

Names are resolved when they are first used, so that ``import lincore`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "balance": "lincore.experiments.balance",
    "BalanceStudy": "lincore.experiments.study",
    "basis": "",
    "bayes_error": "",
    "BayesClassifier": "lincore.bayes",
    "boundary": "lincore.geometry",
    "DataError": "lincore.errors",
    "compare": "lincore.experiments.compare",
    "Dataset": "lincore.datasets",
    "DiagonalLinearDiscriminantAnalysis": "lincore.discriminant",
    "FisherDiscriminant": "lincore.fisher",
    "GaussianNB": "lincore.naive_bayes",
    "LeastSquaresClassifier": "lincore.least_squares",
    "LinearDiscriminantAnalysis": "lincore.discriminant",
    "load": "lincore.datasets",
    "LogisticRegression": "lincore.logistic",
    "Moments": "lincore.moments",
    "MultinomialNB": "lincore.multinomial",
    "OneVsOne": "lincore.multiclass",
    "OneVsRest": "lincore.multiclass",
    "PCA": "lincore.pca",
    "Perceptron": "lincore.perceptron",
    "plots": "",
    "QuadraticDiscriminantAnalysis": "lincore.quadratic",
    "RadialBasis": "lincore.basis",
    "Results": "lincore.experiments.results",
    "sample": "lincore.samples",
    "split": "lincore.datasets",
    "Standardizer": "lincore.standardize",
    "TrigonometricFeatures": "lincore.basis",
}

__version__ = "0.1.0"
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lincore' has no attribute {name!r}")
    if not _HOME[name]:
        return import_module(f"lincore.{name}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
