from .base.moment_classifier import ConstantFeatureWarning as ConstantFeatureWarning
from .bayes import BayesClassifier as BayesClassifier
from .bayes_risk import ExpectedLoss as ExpectedLoss
from .bayes_risk import bayes_error as bayes_error
from .bayes_risk import expected_loss as expected_loss
from .bayes_risk import regret as regret
from .boundary_geometry import boundary as boundary
from .boundary_geometry import mahalanobis as mahalanobis
from .fisher import FisherDiscriminant as FisherDiscriminant
from .least_squares import LeastSquaresClassifier as LeastSquaresClassifier
from .linear_discriminant import (
    DiagonalLinearDiscriminantAnalysis as DiagonalLinearDiscriminantAnalysis,
)
from .linear_discriminant import LinearDiscriminantAnalysis as LinearDiscriminantAnalysis
from .logistic.estimator import LogisticRegression as LogisticRegression
from .logistic.separation import SeparationKind as SeparationKind
from .logistic.separation import SeparationWarning as SeparationWarning
from .logistic.separation import separation as separation
from .multiclass import Ambiguity as Ambiguity
from .multiclass import OneVsOne as OneVsOne
from .multiclass import OneVsRest as OneVsRest
from .multinomial import MultinomialNB as MultinomialNB
from .naive_bayes import GaussianNB as GaussianNB
from .perceptron import Perceptron as Perceptron
from .perceptron import mistake_bound as mistake_bound
from .quadratic_discriminant import QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis
