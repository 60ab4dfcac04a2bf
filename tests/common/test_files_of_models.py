"""Fitted estimators through a file without pickle (skops), and what comes back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import skops.io
from numpy.testing import assert_array_equal

import lincore
from lincore import (
    PCA,
    BayesClassifier,
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
    RadialBasis,
    Standardizer,
    TrigonometricFeatures,
)
from lincore.linalg import Reason
from lincore.utils import captured_warnings

ESTIMATORS = [
    BayesClassifier(np.zeros((3, 4)) + np.arange(3.0)[:, None], np.eye(4)),
    DiagonalLinearDiscriminantAnalysis(shrinkage=0.2),
    FisherDiscriminant("minimum-error"),
    GaussianNB(),
    LeastSquaresClassifier(targets="fisher"),
    LinearDiscriminantAnalysis(shrinkage="oas"),
    LogisticRegression(solver="newton"),
    MultinomialNB(),
    OneVsOne(GaussianNB()),
    OneVsRest(LinearDiscriminantAnalysis(), models="k-1"),
    PCA(0.9),
    Perceptron(weights="averaged"),
    QuadraticDiscriminantAnalysis(regularization=0.2, shrinkage="oas", divisor="n-1"),
    RadialBasis(5, centers="random", random_state=0),
    Standardizer(),
    TrigonometricFeatures(3, period=2.0),
]
ASKED = ("predict", "predict_proba", "decision_function", "transform")


def back(model):
    """Return a model as a file brings it back, every type of ours trusted."""
    stored = skops.io.dumps(model)
    types = skops.io.get_untrusted_types(data=stored)
    assert all(name.startswith("lincore.") for name in types), types
    return skops.io.loads(stored, trusted=types)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_every_estimator_comes_back(estimator):
    iris = lincore.sample("iris")
    with captured_warnings():
        model = estimator.fit(iris.X, iris.y)
    again = back(model)
    assert repr(again) == repr(model)
    for name in ASKED:
        if hasattr(model, name):
            assert_array_equal(getattr(again, name)(iris.X), getattr(model, name)(iris.X))


def test_why_a_solver_stopped_comes_back():
    iris = lincore.sample("iris")
    with captured_warnings():
        model = lincore.LogisticRegression(C=np.inf).fit(iris.X, iris.y)
    again = back(model)
    assert again.reason_ is Reason.UNBOUNDED or again.reason_ is model.reason_
    assert again.reason_.words == model.reason_.words
    assert again.separation_.separates and again.separation_.kind == "quasi-complete"


def test_a_kept_model_comes_back():
    passengers = lincore.sample("passengers")
    model = lincore.compare(passengers, "lda", keep_models=True).model("lda")
    new = passengers.to_frame().head(20)
    pd.testing.assert_series_equal(back(model).predict(new), model.predict(new))
