"""Linear classifiers and their geometry, compared honestly.

Names are resolved when they are first used, so that ``import lincore`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # What editors and type checkers see; at run time `__getattr__` finds the same.
    from lincore import basis as basis
    from lincore import bayes_error as bayes_error
    from lincore import plots as plots
    from lincore.basis import RadialBasis as RadialBasis
    from lincore.basis import TrigonometricFeatures as TrigonometricFeatures
    from lincore.bayes import BayesClassifier as BayesClassifier
    from lincore.datasets import Dataset as Dataset
    from lincore.datasets import load as load
    from lincore.discriminant import (
        DiagonalLinearDiscriminantAnalysis as DiagonalLinearDiscriminantAnalysis,
    )
    from lincore.discriminant import LinearDiscriminantAnalysis as LinearDiscriminantAnalysis
    from lincore.errors import DataError as DataError
    from lincore.experiments.balance import balance as balance
    from lincore.experiments.checks import assumptions as assumptions
    from lincore.experiments.checks import coordinates_of as coordinates_of
    from lincore.experiments.compare import compare as compare
    from lincore.experiments.data_checks import data_checks as data_checks
    from lincore.experiments.default_plane import default_plane as default_plane
    from lincore.experiments.differences import pairwise as pairwise
    from lincore.experiments.differences import tiers as tiers
    from lincore.experiments.discriminant_planes import discriminant_plane as discriminant_plane
    from lincore.experiments.duplicates import copies_across as copies_across
    from lincore.experiments.holdout import holdout as holdout
    from lincore.experiments.imbalance import imbalance_cost as imbalance_cost
    from lincore.experiments.imbalance_record import ImbalanceCost as ImbalanceCost
    from lincore.experiments.learning import learning_curve as learning_curve
    from lincore.experiments.pipeline import Steps as Steps
    from lincore.experiments.pipeline import pipeline_for as pipeline_for
    from lincore.experiments.planes import feature_plane as feature_plane
    from lincore.experiments.planes import principal_plane as principal_plane
    from lincore.experiments.priors import adjust as adjust
    from lincore.experiments.priors import estimate_priors as estimate_priors
    from lincore.experiments.priors import reprior as reprior
    from lincore.experiments.results import Results as Results
    from lincore.experiments.study import BalanceStudy as BalanceStudy
    from lincore.experiments.sweep import sweep as sweep
    from lincore.experiments.views import look as look
    from lincore.experiments.views import model_view as model_view
    from lincore.files.columns import describe_columns as describe_columns
    from lincore.files.findings import find_problems as find_problems
    from lincore.files.reading import ReadOptions as ReadOptions
    from lincore.files.spreadsheet import spreadsheet_safe as spreadsheet_safe
    from lincore.fisher import FisherDiscriminant as FisherDiscriminant
    from lincore.geometry import boundary as boundary
    from lincore.least_squares import LeastSquaresClassifier as LeastSquaresClassifier
    from lincore.logistic import LogisticRegression as LogisticRegression
    from lincore.moments import Moments as Moments
    from lincore.multiclass import OneVsOne as OneVsOne
    from lincore.multiclass import OneVsRest as OneVsRest
    from lincore.multinomial import MultinomialNB as MultinomialNB
    from lincore.naive_bayes import GaussianNB as GaussianNB
    from lincore.pca import PCA as PCA
    from lincore.perceptron import Perceptron as Perceptron
    from lincore.quadratic import QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis
    from lincore.samples import sample as sample
    from lincore.splits import split as split
    from lincore.standardize import Standardizer as Standardizer
    from lincore.tables import frame_to_table as frame_to_table
    from lincore.tables import read_table as read_table
    from lincore.tables import table_to_dataset as table_to_dataset

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
    "learning_curve": "lincore.experiments.learning",
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


def _find(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lincore' has no attribute {name!r}")
    if not _HOME[name]:
        return import_module(f"lincore.{name}")
    return getattr(import_module(_HOME[name]), name)


if not TYPE_CHECKING:  # a type checker would take every misspelt name for one that it finds
    __getattr__ = _find


def __dir__() -> list[str]:
    return [*globals(), *__all__]
