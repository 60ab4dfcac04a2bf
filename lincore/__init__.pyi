from . import analysis as analysis
from . import checks as checks
from . import data as data
from . import displays as displays
from . import estimators as estimators
from . import export as export
from . import fields as fields
from . import geometry as geometry
from . import imbalance as imbalance
from . import inspection as inspection
from . import io as io
from . import laboratory as laboratory
from . import metrics as metrics
from . import model_selection as model_selection
from . import moments as moments
from . import plots as plots
from . import prediction as prediction
from . import preprocessing as preprocessing
from . import report as report
from .analysis.specification import Analysis as Analysis
from .checks.data_findings import data_checks as data_checks
from .checks.model_assumptions import assumptions as assumptions
from .data.dataset import Dataset as Dataset
from .data.splits import split as split
from .errors import DataError as DataError
from .estimators.bayes import BayesClassifier as BayesClassifier
from .estimators.bayes_risk import bayes_error as bayes_error
from .estimators.fisher import FisherDiscriminant as FisherDiscriminant
from .estimators.least_squares import LeastSquaresClassifier as LeastSquaresClassifier
from .estimators.linear_discriminant import (
    DiagonalLinearDiscriminantAnalysis as DiagonalLinearDiscriminantAnalysis,
)
from .estimators.linear_discriminant import LinearDiscriminantAnalysis as LinearDiscriminantAnalysis
from .estimators.logistic.estimator import LogisticRegression as LogisticRegression
from .estimators.multiclass import OneVsOne as OneVsOne
from .estimators.multiclass import OneVsRest as OneVsRest
from .estimators.multinomial import MultinomialNB as MultinomialNB
from .estimators.naive_bayes import GaussianNB as GaussianNB
from .estimators.perceptron import Perceptron as Perceptron
from .estimators.quadratic_discriminant import (
    QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis,
)
from .imbalance.class_size_sweep import sweep as sweep
from .imbalance.cost.estimate import imbalance_cost as imbalance_cost
from .imbalance.cost.record import ImbalanceCost as ImbalanceCost
from .imbalance.run_study import balance as balance
from .imbalance.study import BalanceStudy as BalanceStudy
from .io.loading import load as load
from .io.samples import sample as sample
from .metrics.results import Results as Results
from .model_selection.comparison import compare as compare
from .model_selection.fitted_classifier import fit as fit
from .model_selection.learning_curves import learning_curve as learning_curve
from .model_selection.pipeline import Steps as Steps
from .moments.moments import Moments as Moments
from .preprocessing.basis import RadialBasis as RadialBasis
from .preprocessing.basis import TrigonometricFeatures as TrigonometricFeatures
from .preprocessing.pca import PCA as PCA
from .preprocessing.standardize import Standardizer as Standardizer

__version__: str
