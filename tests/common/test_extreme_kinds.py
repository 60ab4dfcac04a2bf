"""Rows and labels of every kind, and none: a right answer or a clear error."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from lincore import (
    Perceptron,
)
from tests.common.extremes import (
    answer,
    assert_clear,
    assert_same,
    clouds,
    easy,
    every,
    fit,
    refusal,
)


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


KINDS = {
    "float32": lambda X: X.astype(np.float32),
    "uint8": lambda X: X.astype(np.uint8),
    "int64": lambda X: X.astype(np.int64),
    "big-endian": lambda X: X.astype(">f8"),
    "Fortran": np.asfortranarray,
    "every other row and column": lambda X: np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2],
    "backwards in memory": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": read_only,
    "lists": lambda X: X.tolist(),
    "frame": lambda X: pd.DataFrame(X, columns=list("abcdefg")[: X.shape[1]]),
    "frame of many types": lambda X: pd.DataFrame(
        {f"f{j}": X[:, j].astype(t) for j, t in enumerate(["f4", "u1", "i8", "f8", "i2"])}
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@every
def test_the_kind_of_rows_does_not_matter(case, kind):
    X, y = clouds()
    rows = KINDS[kind](X)
    assert_same(case, X, rows, y, tolerance=1e-8)
    if isinstance(rows, pd.DataFrame):
        model = fit(case.model, rows, y)
        assert model.feature_names_in_.tolist() == list(rows.columns)
        with pytest.raises(ValueError, match="feature names"):
            model.predict(rows[rows.columns[::-1]])


LABELS = {
    "words": np.array(["ham", "spam", "eggs"]),
    "words of any case, as objects": np.array(["b", "A", "ä"], dtype=object),
    "whole numbers in no order": np.array([7, -3, 10]),
    "bytes of numbers": np.array([200, 3, 100], dtype=np.uint8),
    "whole numbers as fractions": np.array([2.0, -1.0, 0.0]),
    "numbers as words": np.array(["10", "9", "1"]),
}


@pytest.mark.parametrize("kind", LABELS)
@every
def test_labels_of_any_kind(case, kind):
    X, y = easy()
    labels = LABELS[kind][y]
    model = fit(case.model, X, labels)
    assert_array_equal(model.classes_, np.unique(labels))
    assert_array_equal(answer(model, X), labels)
    if hasattr(model, "predict_proba"):
        assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], labels)


@pytest.mark.parametrize("labels", [[False, True], [True, False], ["yes", "no"], [1, 0]], ids=str)
@every
def test_two_classes_of_any_kind_and_order(case, labels):
    X, y = easy((20, 12))
    labels = np.array(labels)[y]
    model = fit(case.model, X, labels)
    assert_array_equal(answer(model, X), labels)
    assert_array_equal(model.decision_function(X) > 0, labels == model.classes_[1])


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_matrix, sp.coo_array])
@every
def test_sparse_rows_are_counted_or_refused_with_a_remedy(case, form):
    X, y = clouds()
    if isinstance(case.model, Perceptron) and case.model.standardize:
        # Sparse rows are divided by their root mean squares and not centred.
        unit = np.sqrt((X**2).mean(axis=0))
        plain = fit(clone(case.model).set_params(standardize=False), X / unit, y)
        assert_allclose(fit(case.model, form(X), y).coef_, plain.coef_ / unit, rtol=1e-9)
    elif case.model.__sklearn_tags__().input_tags.sparse:
        assert_same(case, X, form(X), y)
    else:
        assert "dense" in refusal(case.model, form(X), y)


@every
def test_what_is_not_finite_is_refused(case):
    X, y = easy()
    model = fit(case.model, X, y)
    asks = [ask for ask in ("predict", "decision_function", "predict_proba") if hasattr(model, ask)]
    for bad, place in product([np.nan, np.inf, -np.inf], [(0, 0), (-1, -1), np.s_[:, 1], np.s_[:]]):
        broken = X.astype(np.float32 if place == (0, 0) else np.float64)
        broken[place] = bad
        words = "NaN|infinity|finite"
        with pytest.raises(ValueError, match=words) as caught:
            fit(case.model, broken, y)
        assert_clear(caught.value)
        for ask in asks:
            with pytest.raises(ValueError, match=words):
                getattr(model, ask)(broken)


@pytest.mark.parametrize("shape", [(0, 6), (47, 0), (0, 0)])
@every
def test_no_rows_and_no_columns_are_refused(case, shape):
    X, y = easy()
    empty = np.empty(shape)
    with pytest.raises(ValueError, match="0 (sample|feature)") as caught:
        fit(case.model, empty, y[: len(empty)])
    assert_clear(caught.value)
    with pytest.raises(ValueError, match="0 (sample|feature)|features"):
        fit(case.model, X, y).predict(empty)


@every
def test_one_class_is_refused(case):
    X, _ = easy()
    words = refusal(case.model, X, np.zeros(len(X), dtype=int))
    assert "two classes" in words and ("1 class" in words or "one class" in words)


@pytest.mark.parametrize("labels", [[0.5, 1.25], [np.nan, 1.0], [None, "a"]], ids=str)
@every
def test_labels_that_are_none_are_refused(case, labels):
    X, _ = easy()
    assert refusal(case.model, X, np.array(labels)[np.arange(len(X)) % 2]) is not None


@pytest.mark.parametrize("value", [1e100, 1e150])
@every
def test_rows_far_beyond_what_was_learned(case, value):
    X, y = clouds()
    far = np.abs(np.random.default_rng(0).standard_normal((20, X.shape[1]))) * value
    answer(fit(case.model, X, y), far)
