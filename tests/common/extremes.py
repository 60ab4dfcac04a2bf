"""Every classifier, and what is asked of it at an extreme: a right answer or a clear error."""

from __future__ import annotations

import warnings
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from lincore import (
    DiagonalLinearDiscriminantAnalysis,
    FisherDiscriminant,
    GaussianNB,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    MultinomialNB,
    OneVsOne,
    OneVsRest,
    Perceptron,
    QuadraticDiscriminantAnalysis,
)
from lincore.estimators.logistic.separation import SeparationWarning


class Case(NamedTuple):
    """A model, and which changes of the features leave its posterior as it is.

    Shrinkage pulls towards the identity in the features' own units, all scaled alike; a ridge and
    a finite C penalise coefficients per unit, the plain perceptron sets features against a one, and
    counts have no unit at all. Whoever takes features
    for independent, penalises or standardises them counts a repeated one twice.
    """

    model: Any
    units: Literal["each", "all", "none"] = "each"
    repeats: bool = True
    offsets: bool = True
    lone_rows: bool = True  # whether it learns from a single row of each class


LDA = LinearDiscriminantAnalysis
QDA = QuadraticDiscriminantAnalysis
CASES = [
    Case(LDA(), lone_rows=False),
    Case(LDA(shrinkage="oas"), units="all", repeats=False, lone_rows=False),
    Case(LDA(shrinkage=0.1, divisor="n-k"), units="all", repeats=False, lone_rows=False),
    Case(DiagonalLinearDiscriminantAnalysis(), repeats=False, lone_rows=False),
    Case(DiagonalLinearDiscriminantAnalysis(shrinkage=0.2), "all", repeats=False, lone_rows=False),
    Case(QDA(), lone_rows=False),
    Case(QDA(regularization=0.2), lone_rows=False),
    Case(QDA(regularization=0.2, shrinkage="oas", divisor="n-1"), "all", False, lone_rows=False),
    Case(GaussianNB(), repeats=False),
    Case(GaussianNB(var_smoothing=0), repeats=False, lone_rows=False),
    Case(LeastSquaresClassifier()),
    Case(LeastSquaresClassifier(1.0, targets="plus-minus"), "none", repeats=False),
    Case(LeastSquaresClassifier(targets="fisher")),
    Case(FisherDiscriminant(), lone_rows=False),
    Case(FisherDiscriminant("gaussian"), lone_rows=False),
    Case(FisherDiscriminant("minimum-error"), lone_rows=False),
    Case(OneVsRest(LDA()), lone_rows=False),
    Case(OneVsRest(LDA(), models="k-1"), lone_rows=False),
    Case(OneVsRest(LogisticRegression()), "none", repeats=False),
    Case(OneVsOne(LDA()), lone_rows=False),
    Case(OneVsOne(GaussianNB()), repeats=False),
    Case(Perceptron(random_state=0), repeats=False),
    Case(Perceptron(weights="pocket", random_state=0), repeats=False),
    Case(Perceptron(weights="averaged", random_state=0), repeats=False),
    Case(Perceptron(standardize=False, random_state=0), "none", repeats=False, offsets=False),
    Case(LogisticRegression(), "none", repeats=False),
    Case(LogisticRegression(solver="newton"), "none", repeats=False),
    Case(LogisticRegression(C=np.inf)),
    Case(LogisticRegression(C=np.inf, solver="newton")),
    Case(LogisticRegression(solver="fixed-hessian", max_iter=200), "none", repeats=False),
    Case(LogisticRegression(solver="gradient", max_iter=200), "none", repeats=False),
    Case(LogisticRegression(solver="sgd", random_state=0, max_iter=10), "none", repeats=False),
    Case(MultinomialNB(), "none", repeats=False, offsets=False),
    Case(MultinomialNB(0.0), "none", repeats=False, offsets=False),
]


def name(case):
    return " ".join(str(case.model).split())


every = pytest.mark.parametrize("case", CASES, ids=name)
classifiers = [case for case in CASES if not isinstance(case.model, MultinomialNB)]
# Open: it takes deviations below 1e-140 for those of a constant, and squares of 1e154 overflow.
every_but_logistic = pytest.mark.parametrize(
    "case", [case for case in CASES if "LogisticRegression" not in name(case)], ids=name
)
every_but_unpenalised = pytest.mark.parametrize(
    "case", [case for case in CASES if "C=inf" not in name(case)], ids=name
)
every_but_counts = pytest.mark.parametrize("case", classifiers, ids=name)


def clouds(sizes=(60, 25, 12), p=5, seed=0):
    """Draw correlated clouds on whole numbers from 0 to 255, exact in every type of number."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    means = rng.permuted(np.tile(np.linspace(-14, 14, p), (len(sizes), 1)), axis=1)
    mix = np.linalg.qr(rng.standard_normal((p, p)))[0] * np.linspace(10, 20, p)
    X = rng.standard_normal((len(y), p)) @ mix + means[y] + 120
    return np.clip(np.round(X), 0, 255), y


def easy(sizes=(20, 15, 12), p=6, seed=0):
    """Draw clouds so far apart that whoever errs is broken: classes stand out in turn."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(len(sizes)), sizes)
    centres = 20 + 180.0 * (np.arange(p) % len(sizes) == np.arange(len(sizes))[:, None])
    return centres[y] + rng.normal(0, 4, (len(y), p)), y


def fit(model, X, y):
    """Fit a clone; that an iteration was cut short, or classes are separated, may be said."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", SeparationWarning)
        return clone(model).fit(X, y)


def answer(model, X):
    """Return predictions, after a look at everything that a model says of rows."""
    scores = model.decision_function(X)
    assert not np.isnan(scores).any()
    if hasattr(model, "predict_proba"):
        posterior = model.predict_proba(X)
        assert np.all((posterior >= 0) & (posterior <= 1 + 1e-12))
        assert_allclose(posterior.sum(axis=1), 1, rtol=1e-12)
        assert not np.isnan(model.predict_log_proba(X)).any()
    return model.predict(X)


def refusal(model, X, y):
    """Return the words of a clear error, or None if the model can be fitted."""
    try:
        fit(model, X, y)
    except (ValueError, TypeError) as error:
        assert_clear(error)
        return str(error)
    return None


def assert_clear(error):
    assert not isinstance(error, np.linalg.LinAlgError)
    assert len(str(error)) >= 20, f"says neither cause nor remedy: {error}"


def beliefs(model, X):
    """Return what two equal models must agree on: posteriors, or scores less those of a row."""
    answer(model, X)
    if hasattr(model, "predict_proba"):
        return model.predict_proba(X)
    scores = model.decision_function(X)
    return scores if scores.ndim == 1 else scores - scores.mean(axis=1, keepdims=True)


def assert_same(case, X, Z, y, *, tolerance=1e-6):
    """Compare what is learned from Z with what is learned from X, which says the same."""
    plain, other = fit(case.model, X, y), fit(case.model, Z, y)
    expected = beliefs(plain, X)
    size = 1 if hasattr(plain, "predict_proba") else np.abs(expected).max()
    assert_allclose(beliefs(other, Z), expected, rtol=0, atol=tolerance * size)
    assert np.mean(other.predict(Z) == plain.predict(X)) > 0.98  # none but ties
