"""The score functions of each classifier, in terms of its inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lincore.errors import DataError
from lincore.estimators.base.linear import LinearClassifier, SoftmaxPosterior
from lincore.estimators.fisher import FisherDiscriminant
from lincore.estimators.least_squares import LeastSquaresClassifier
from lincore.estimators.linear_discriminant import (
    DiagonalLinearDiscriminantAnalysis,
    LinearDiscriminantAnalysis,
)
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.estimators.multiclass import BinaryModels, HalfSpace, OneVsOne, OneVsRest
from lincore.estimators.multinomial import MultinomialNB
from lincore.estimators.naive_bayes import GaussianNB
from lincore.estimators.perceptron import Perceptron
from lincore.estimators.quadratic_discriminant import QuadraticDiscriminantAnalysis
from lincore.export.models.score_functions import Link, ScoreFunction
from lincore.linalg.gaussian import Gaussians
from lincore.utils.typing import Array

# Maps a classifier and an origin to its score functions relative to that origin.
Write = Callable[[Any, Array], list[ScoreFunction]]


class ClassifierFunctions(NamedTuple):
    """`ScoreFunctions` of a classifier, in terms of its inputs minus an origin."""

    classes: list[int]  # codes
    link: Link
    functions: list[ScoreFunction]
    pairs: tuple[tuple[int, int], ...] = ()


def classifier_functions(classifier: Any, origin: Array) -> ClassifierFunctions:
    """Return the score functions of a classifier that was fitted on codes."""
    classes = np.asarray(classifier.classes_, dtype=int).tolist()
    if isinstance(classifier, BinaryModels):
        margins = [_margin(binary, origin) for binary in classifier.estimators_]
        if type(classifier) is OneVsOne:
            return ClassifierFunctions(classes, "votes", margins, _pairs(classifier))
        if type(classifier) is OneVsRest:
            rest = [ScoreFunction.affine(0.0, np.zeros(len(origin)))]
            return ClassifierFunctions(
                classes, "scores", (margins + rest)[: max(len(margins), len(classes))]
            )
    link: Link = "softmax" if isinstance(classifier, SoftmaxPosterior) else "scores"
    return ClassifierFunctions(classes, link, _writer(classifier)(classifier, origin))


def _writer(classifier: Any) -> Write:
    if type(classifier) not in WRITERS:
        raise DataError(
            f"The scores of {type(classifier).__name__} are not linear or quadratic functions.",
            where="export as formulas",
            remedy=f"Choose one of {', '.join(kind.__name__ for kind in WRITERS)}, or save the "
            "model with save_model.",
        )
    return WRITERS[type(classifier)]


def _margin(model: Any, origin: Array) -> ScoreFunction:
    if isinstance(model, HalfSpace):
        return _plane(model.coef_[0], model.intercept_[0], origin)
    first, second = _writer(model)(model, origin)
    return second.less(first)


def _pairs(model: OneVsOne) -> tuple[tuple[int, int], ...]:
    return tuple((int(row.argmin()), int(row.argmax())) for row in model.design_)


def _plane(coef: Array, intercept: float, origin: Array) -> ScoreFunction:
    return ScoreFunction.affine(float(intercept + coef @ origin), np.asarray(coef))


def _planes(model: LinearClassifier, origin: Array) -> list[ScoreFunction]:
    functions = model.discriminants()
    return [_plane(function.b, function.c, origin) for function in functions]


def _counts(model: MultinomialNB, origin: Array) -> list[ScoreFunction]:
    if not np.isfinite(model.feature_log_prob_).all():
        raise DataError(
            "With alpha = 0, a feature never counted in a class excludes that class: its scores "
            "are not linear functions.",
            where="multinomial naive Bayes",
            remedy="Choose alpha > 0.",
        )
    return _planes(model, origin)


def _gaussian(densities: Gaussians, priors: Array, origin: Array) -> list[ScoreFunction]:
    with np.errstate(divide="ignore"):
        log_priors = np.log(priors)
    functions = []
    for mean, whitener, log_prior in zip(*densities, log_priors, strict=True):
        factor = whitener.factor
        directions = np.diag(factor)[factor != 0] if factor.ndim == 1 else factor.T
        shift = directions @ (mean - origin)
        constant = float(log_prior - 0.5 * whitener.log_det)
        weight = np.full(len(directions), -0.5)
        functions.append(ScoreFunction(constant, np.zeros(len(origin)), weight, directions, shift))
    return functions


def _naive_bayes(model: GaussianNB, origin: Array) -> list[ScoreFunction]:
    categories = model._categories
    if categories is None:
        return _gaussian(model.densities_, model.priors_, origin)
    numeric = np.flatnonzero(model._numeric)
    selection = np.zeros((len(numeric), len(origin)))
    selection[np.arange(len(numeric)), numeric] = 1.0
    functions = []
    gaussian = _gaussian(model._densities, model.priors_, origin[numeric])
    for k, function in enumerate(gaussian):
        linear = np.zeros(len(origin))
        linear[categories.columns] = categories.coef[k]
        constant = function.constant + categories.constant[k] + linear @ origin
        functions.append(
            function._replace(
                constant=float(constant), linear=linear, directions=function.directions @ selection
            )
        )
    return functions


WRITERS: dict[type, Write] = {
    LinearDiscriminantAnalysis: _planes,
    DiagonalLinearDiscriminantAnalysis: _planes,
    FisherDiscriminant: _planes,
    LeastSquaresClassifier: _planes,
    LogisticRegression: _planes,
    Perceptron: _planes,
    MultinomialNB: _counts,
    QuadraticDiscriminantAnalysis: lambda model, origin: _gaussian(
        model.densities_, model.priors_, origin
    ),
    GaussianNB: _naive_bayes,
}
