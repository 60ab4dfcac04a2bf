"""Linear classifiers and their geometry, compared honestly.

Names are resolved when they are first used, so that ``import lincore`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOME = {
    "adjust": "lincore.experiments.priors",
    "assumptions": "lincore.experiments.checks",
    "balance": "lincore.experiments.balance",
    "BalanceStudy": "lincore.experiments.study",
    "basis": "",
    "bayes_error": "",
    "BayesClassifier": "lincore.bayes",
    "boundary": "lincore.geometry",
    "compare": "lincore.experiments.compare",
    "coordinates_of": "lincore.experiments.checks",
    "copies_across": "lincore.experiments.duplicates",
    "data_checks": "lincore.experiments.data_checks",
    "DataError": "lincore.errors",
    "Dataset": "lincore.datasets",
    "describe_columns": "lincore.files.columns",
    "DiagonalLinearDiscriminantAnalysis": "lincore.discriminant",
    "default_plane": "lincore.experiments.default_plane",
    "discriminant_plane": "lincore.experiments.discriminant_planes",
    "estimate_priors": "lincore.experiments.priors",
    "feature_plane": "lincore.experiments.planes",
    "find_problems": "lincore.files.findings",
    "FisherDiscriminant": "lincore.fisher",
    "frame_to_table": "lincore.tables",
    "GaussianNB": "lincore.naive_bayes",
    "holdout": "lincore.experiments.holdout",
    "imbalance_cost": "lincore.experiments.imbalance",
    "ImbalanceCost": "lincore.experiments.imbalance_record",
    "LeastSquaresClassifier": "lincore.least_squares",
    "LinearDiscriminantAnalysis": "lincore.discriminant",
    "load": "lincore.datasets",
    "LogisticRegression": "lincore.logistic",
    "look": "lincore.experiments.views",
    "model_view": "lincore.experiments.views",
    "Moments": "lincore.moments",
    "MultinomialNB": "lincore.multinomial",
    "OneVsOne": "lincore.multiclass",
    "OneVsRest": "lincore.multiclass",
    "pairwise": "lincore.experiments.differences",
    "PCA": "lincore.pca",
    "Perceptron": "lincore.perceptron",
    "pipeline_for": "lincore.experiments.pipeline",
    "plots": "",
    "principal_plane": "lincore.experiments.planes",
    "QuadraticDiscriminantAnalysis": "lincore.quadratic",
    "RadialBasis": "lincore.basis",
    "read_table": "lincore.tables",
    "ReadOptions": "lincore.files.reading",
    "reprior": "lincore.experiments.priors",
    "Results": "lincore.experiments.results",
    "sample": "lincore.samples",
    "split": "lincore.splits",
    "spreadsheet_safe": "lincore.files.spreadsheet",
    "Standardizer": "lincore.standardize",
    "Steps": "lincore.experiments.pipeline",
    "sweep": "lincore.experiments.sweep",
    "table_to_dataset": "lincore.tables",
    "tiers": "lincore.experiments.differences",
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
