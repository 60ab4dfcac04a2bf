"""Linear classifiers and their geometry, compared honestly.

Names are resolved when they are first used, so that ``import lincore`` stays light.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # What editors and type checkers see; at run time `__getattr__` finds the same.
    from lincore import plots as plots
    from lincore.checks.assumptions import assumptions as assumptions
    from lincore.checks.assumptions import coordinates_of as coordinates_of
    from lincore.checks.data_checks import data_checks as data_checks
    from lincore.checks.table_findings import find_problems as find_problems
    from lincore.checks.train_test_duplicates import copies_across as copies_across
    from lincore.data.dataset import Dataset as Dataset
    from lincore.data.splits import split as split
    from lincore.errors import DataError as DataError
    from lincore.estimators import bayes_error as bayes_error
    from lincore.estimators.bayes import BayesClassifier as BayesClassifier
    from lincore.estimators.boundary_geometry import boundary as boundary
    from lincore.estimators.fisher import FisherDiscriminant as FisherDiscriminant
    from lincore.estimators.least_squares import LeastSquaresClassifier as LeastSquaresClassifier
    from lincore.estimators.linear_discriminant import (
        DiagonalLinearDiscriminantAnalysis as DiagonalLinearDiscriminantAnalysis,
    )
    from lincore.estimators.linear_discriminant import (
        LinearDiscriminantAnalysis as LinearDiscriminantAnalysis,
    )
    from lincore.estimators.logistic.estimator import LogisticRegression as LogisticRegression
    from lincore.estimators.multiclass import OneVsOne as OneVsOne
    from lincore.estimators.multiclass import OneVsRest as OneVsRest
    from lincore.estimators.multinomial import MultinomialNB as MultinomialNB
    from lincore.estimators.naive_bayes import GaussianNB as GaussianNB
    from lincore.estimators.perceptron import Perceptron as Perceptron
    from lincore.estimators.quadratic_discriminant import (
        QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis,
    )
    from lincore.imbalance.balance import balance as balance
    from lincore.imbalance.cost.estimate import imbalance_cost as imbalance_cost
    from lincore.imbalance.cost.record import ImbalanceCost as ImbalanceCost
    from lincore.imbalance.study import BalanceStudy as BalanceStudy
    from lincore.imbalance.sweep import sweep as sweep
    from lincore.inspection.default_plane import default_plane as default_plane
    from lincore.inspection.discriminant_planes import discriminant_plane as discriminant_plane
    from lincore.inspection.planes import feature_plane as feature_plane
    from lincore.inspection.planes import principal_plane as principal_plane
    from lincore.inspection.views import look as look
    from lincore.inspection.views import model_view as model_view
    from lincore.io.load import load as load
    from lincore.io.read_table import read_table as read_table
    from lincore.io.read_table import table_to_dataset as table_to_dataset
    from lincore.io.samples import sample as sample
    from lincore.io.tables.column_selection import describe_columns as describe_columns
    from lincore.io.tables.table import frame_to_table as frame_to_table
    from lincore.io.tables.text.options import ReadOptions as ReadOptions
    from lincore.metrics.differences import pairwise as pairwise
    from lincore.metrics.differences import tiers as tiers
    from lincore.metrics.priors import adjust as adjust
    from lincore.metrics.priors import estimate_priors as estimate_priors
    from lincore.metrics.priors import reprior as reprior
    from lincore.metrics.results import Results as Results
    from lincore.model_selection.compare import compare as compare
    from lincore.model_selection.holdout import holdout as holdout
    from lincore.model_selection.learning_curve import learning_curve as learning_curve
    from lincore.model_selection.pipeline import Steps as Steps
    from lincore.model_selection.pipeline import pipeline_for as pipeline_for
    from lincore.moments.moments import Moments as Moments
    from lincore.preprocessing import basis as basis
    from lincore.preprocessing.basis import RadialBasis as RadialBasis
    from lincore.preprocessing.basis import TrigonometricFeatures as TrigonometricFeatures
    from lincore.preprocessing.pca import PCA as PCA
    from lincore.preprocessing.standardize import Standardizer as Standardizer
    from lincore.utils.spreadsheet import spreadsheet_safe as spreadsheet_safe

_HOME = {
    "adjust": "lincore.metrics.priors",
    "assumptions": "lincore.checks.assumptions",
    "balance": "lincore.imbalance.balance",
    "BalanceStudy": "lincore.imbalance.study",
    "basis": "lincore.preprocessing.basis",
    "bayes_error": "lincore.estimators.bayes_error",
    "BayesClassifier": "lincore.estimators.bayes",
    "boundary": "lincore.estimators.boundary_geometry",
    "compare": "lincore.model_selection.compare",
    "coordinates_of": "lincore.checks.assumptions",
    "copies_across": "lincore.checks.train_test_duplicates",
    "data_checks": "lincore.checks.data_checks",
    "DataError": "lincore.errors",
    "Dataset": "lincore.data.dataset",
    "describe_columns": "lincore.io.tables.column_selection",
    "DiagonalLinearDiscriminantAnalysis": "lincore.estimators.linear_discriminant",
    "default_plane": "lincore.inspection.default_plane",
    "discriminant_plane": "lincore.inspection.discriminant_planes",
    "estimate_priors": "lincore.metrics.priors",
    "feature_plane": "lincore.inspection.planes",
    "find_problems": "lincore.checks.table_findings",
    "FisherDiscriminant": "lincore.estimators.fisher",
    "frame_to_table": "lincore.io.tables.table",
    "GaussianNB": "lincore.estimators.naive_bayes",
    "holdout": "lincore.model_selection.holdout",
    "imbalance_cost": "lincore.imbalance.cost.estimate",
    "ImbalanceCost": "lincore.imbalance.cost.record",
    "learning_curve": "lincore.model_selection.learning_curve",
    "LeastSquaresClassifier": "lincore.estimators.least_squares",
    "LinearDiscriminantAnalysis": "lincore.estimators.linear_discriminant",
    "load": "lincore.io.load",
    "LogisticRegression": "lincore.estimators.logistic.estimator",
    "look": "lincore.inspection.views",
    "model_view": "lincore.inspection.views",
    "Moments": "lincore.moments.moments",
    "MultinomialNB": "lincore.estimators.multinomial",
    "OneVsOne": "lincore.estimators.multiclass",
    "OneVsRest": "lincore.estimators.multiclass",
    "pairwise": "lincore.metrics.differences",
    "PCA": "lincore.preprocessing.pca",
    "Perceptron": "lincore.estimators.perceptron",
    "pipeline_for": "lincore.model_selection.pipeline",
    "plots": "lincore.plots",
    "principal_plane": "lincore.inspection.planes",
    "QuadraticDiscriminantAnalysis": "lincore.estimators.quadratic_discriminant",
    "RadialBasis": "lincore.preprocessing.basis",
    "read_table": "lincore.io.read_table",
    "ReadOptions": "lincore.io.tables.text.options",
    "reprior": "lincore.metrics.priors",
    "Results": "lincore.metrics.results",
    "sample": "lincore.io.samples",
    "split": "lincore.data.splits",
    "spreadsheet_safe": "lincore.utils.spreadsheet",
    "Standardizer": "lincore.preprocessing.standardize",
    "Steps": "lincore.model_selection.pipeline",
    "sweep": "lincore.imbalance.sweep",
    "table_to_dataset": "lincore.io.read_table",
    "tiers": "lincore.metrics.differences",
    "TrigonometricFeatures": "lincore.preprocessing.basis",
}
# Of these names it is the module itself that is meant.
_MODULES = {"basis", "bayes_error", "plots"}

__version__ = "0.1.0"
__all__ = sorted(_HOME)


def _find(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'lincore' has no attribute {name!r}")
    home = import_module(_HOME[name])
    return home if name in _MODULES else getattr(home, name)


if not TYPE_CHECKING:  # a type checker would take every misspelt name for one that it finds
    __getattr__ = _find


def __dir__() -> list[str]:
    return [*globals(), *__all__]
