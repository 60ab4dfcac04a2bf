"""Fitted estimators through a file without pickle (skops), and what comes back."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import skops.io
from numpy.testing import assert_array_equal

import lincore
from lincore import BayesClassifier
from lincore.linalg.optimize import Reason
from lincore.utils.thread_warnings import captured_warnings

_spec = importlib.util.spec_from_file_location(
    "estimators_to_store", Path(__file__).with_name("test_estimators.py")
)
assert _spec is not None and _spec.loader is not None
_listed = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_listed)

#: One of each class.
ESTIMATORS = [
    *{type(one): one for one in reversed(_listed.ESTIMATORS)}.values(),
    BayesClassifier(np.zeros((3, 4)) + np.arange(3.0)[:, None], np.eye(4)),
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
