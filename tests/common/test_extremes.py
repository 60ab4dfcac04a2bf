"""Every classifier at every extreme of rows, labels and units: a right answer or a clear error."""

from __future__ import annotations

import warnings
from itertools import product
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
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
from lincore.estimators import SeparationWarning
from lincore.utils import captured_warnings


class Case(NamedTuple):
    """A model, and which changes of the features leave its posterior as it is.

    Shrinkage pulls towards the identity in the features' own units, all scaled alike; a ridge and
    a finite C penalise coefficients per unit, naive Bayes adds a share of the largest variance, and
    counts have no unit at all. Estimators that take
    features for independent, penalise or standardise them count a repeated one twice.
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
    Case(DiagonalLinearDiscriminantAnalysis(), repeats=False, lone_rows=False),
    Case(QDA(), lone_rows=False),
    Case(QDA(regularization=0.2, shrinkage="oas", divisor="n-1"), "all", False, lone_rows=False),
    Case(GaussianNB(), units="all", repeats=False),
    Case(LeastSquaresClassifier()),
    Case(LeastSquaresClassifier(1.0, targets="plus-minus"), "none", repeats=False),
    Case(FisherDiscriminant("gaussian"), lone_rows=False),
    Case(OneVsRest(LDA()), lone_rows=False),
    Case(OneVsOne(GaussianNB()), units="all", repeats=False),
    Case(Perceptron(weights="pocket", max_epochs=30, random_state=0), repeats=False),
    Case(LogisticRegression(), "none", repeats=False),
    Case(LogisticRegression(C=np.inf, solver="newton")),
    Case(LogisticRegression(l1_ratio=0.5), "none", repeats=False),
    Case(MultinomialNB(), "none", repeats=False, offsets=False),
]


def name(case):
    return " ".join(str(case.model).split())


every = pytest.mark.parametrize("case", CASES, ids=name)
every_but_counts = pytest.mark.parametrize(
    "case", [case for case in CASES if not isinstance(case.model, MultinomialNB)], ids=name
)
# Open: it takes deviations below 1e-140 for those of a constant, and squares of 1e154 overflow.
every_but_logistic = pytest.mark.parametrize(
    "case", [case for case in CASES if not isinstance(case.model, LogisticRegression)], ids=name
)


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
    "frame of many types": lambda X: pd.DataFrame(
        {f"f{j}": X[:, j].astype(t) for j, t in enumerate(["f4", "u1", "i8", "f8", "i2"])}
    ),
}


@every
def test_the_kind_of_rows_does_not_matter(case):
    X, y = clouds()
    for convert in KINDS.values():
        rows = convert(X)
        assert_same(case, X, rows, y, tolerance=1e-8)
    model = fit(case.model, rows, y)
    assert model.feature_names_in_.tolist() == list(rows.columns)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(rows[rows.columns[::-1]])


LABELS = [
    np.array(["ham", "spam", "eggs"]),
    np.array(["b", "A", "ä"], dtype=object),
    np.array([7, -3, 10]),
    np.array([200, 3, 100], dtype=np.uint8),
    np.array([2.0, -1.0, 0.0]),
    np.array([False, True]),
    np.array([True, False]),
    np.array(["yes", "no"]),
]


@every
def test_labels_of_any_kind_and_order(case):
    for labels in LABELS:
        X, y = easy((20, 15, 12)[: len(labels)])
        y = labels[y]
        model = fit(case.model, X, y)
        assert_array_equal(model.classes_, np.unique(labels))
        assert_array_equal(answer(model, X), y)
        if len(labels) == 2:
            assert_array_equal(model.decision_function(X) > 0, y == model.classes_[1])
        if hasattr(model, "predict_proba"):
            assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], y)


@every
def test_sparse_rows_are_counted_or_refused_with_a_remedy(case):
    X, y = clouds()
    for form in (sp.csr_array, sp.csc_matrix, sp.coo_array):
        if isinstance(case.model, Perceptron):
            # Sparse rows are divided by their root mean squares and not centred.
            unit = np.sqrt((X**2).mean(axis=0))
            plain = fit(clone(case.model).set_params(standardize=False), X / unit, y)
            assert_allclose(fit(case.model, form(X), y).coef_, plain.coef_ / unit, rtol=1e-9)
        elif case.model.__sklearn_tags__().input_tags.sparse:
            assert_same(case, X, form(X), y)
        else:
            assert "dense" in refusal(case.model, form(X), y)


@every
def test_values_that_are_not_finite_are_refused(case):
    X, y = easy()
    model = fit(case.model, X, y)
    asks = [ask for ask in ("predict", "decision_function", "predict_proba") if hasattr(model, ask)]
    for bad, place in product([np.nan, np.inf, -np.inf], [(0, 0), (-1, -1), np.s_[:]]):
        broken = X.astype(np.float32 if place == (0, 0) else np.float64)
        broken[place] = bad
        words = "NaN|infinity|finite"
        with pytest.raises(ValueError, match=words) as caught:
            fit(case.model, broken, y)
        assert_clear(caught.value)
        for ask in asks:
            with pytest.raises(ValueError, match=words):
                getattr(model, ask)(broken)


@every
def test_missing_rows_columns_and_classes_are_refused(case):
    X, y = easy()
    model = fit(case.model, X, y)
    for shape in ((0, 6), (47, 0), (0, 0)):
        empty = np.empty(shape)
        with pytest.raises(ValueError, match="0 (sample|feature)") as caught:
            fit(case.model, empty, y[: len(empty)])
        assert_clear(caught.value)
        with pytest.raises(ValueError, match="0 (sample|feature)|features"):
            model.predict(empty)
    words = refusal(case.model, X, np.zeros(len(X), dtype=int))
    assert "two classes" in words and ("1 class" in words or "one class" in words)
    for labels in ([0.5, 1.25], [np.nan, 1.0], [None, "a"]):
        assert refusal(case.model, X, np.array(labels)[np.arange(len(X)) % 2]) is not None
    assert "dates, which are not numbers" in refusal(case.model, X.astype("datetime64[D]"), y)


@every
def test_constant_columns_change_nothing(case):
    X, y = clouds()
    Z = np.column_stack([X, np.zeros(len(X)), np.full(len(X), 1e6 + 0.1)])
    # To a shrunken covariance even a column of zeros is a feature; to counts, words.
    if case.units == "all" or not case.offsets:
        answer(fit(case.model, Z, y), Z)
    else:
        assert_same(case, X, Z, y)


@every
def test_repeated_and_combined_columns(case):
    X, y = clouds()
    Z = np.column_stack([X, X[:, 1], X[:, 0] + 2 * X[:, 2]])
    if case.repeats:
        assert_same(case, X, Z, y)
    else:
        Z, y = easy()
        Z = np.column_stack([Z, Z])
        assert_array_equal(answer(fit(case.model, Z, y), Z), y)


@every
def test_a_column_that_is_constant_within_every_class(case):
    X, y = easy()
    Z = np.column_stack([X, y == 1])
    with captured_warnings():  # of the column that some ignore
        assert_array_equal(answer(fit(case.model, Z, y), Z), y)


@every
def test_rows_that_are_all_equal(case):
    X, y = np.full((20, 3), 7.1), np.repeat([0, 1], [14, 6])
    words = refusal(case.model, X, y)
    if words is None:
        # Nothing but the shares of the classes is left.
        assert_array_equal(answer(fit(case.model, X, y), X), 0)
    else:
        assert "varies" in words or "equal" in words


@every_but_counts
def test_one_feature(case):
    X, y = easy((30, 20), p=1)
    assert_array_equal(answer(fit(case.model, X, y), X), y)


def is_plain_qda(case):
    return str(case.model) == "QuadraticDiscriminantAnalysis()"


@every
def test_more_features_than_rows(case):
    X, y = easy((8, 5, 6), p=60)
    new, truth = easy((30, 30, 30), p=60, seed=1)
    if is_plain_qda(case):
        assert "regularization" in refusal(case.model, X, y)
    else:
        assert np.mean(answer(fit(case.model, X, y), new) == truth) > 0.95


@every
def test_one_or_two_rows_of_each_class(case):
    for p in (1, 6, 40):
        X, y = easy((1, 1, 1), p=p) if p > 1 else easy((1, 1), p=1)
        words = refusal(case.model, X, y)
        if words is None:
            predicted = answer(fit(case.model, X, y), X)
            # One word has the same probability in every class.
            if case.lone_rows and not (p == 1 and isinstance(case.model, MultinomialNB)):
                assert_array_equal(predicted, y)
        else:
            assert not case.lone_rows
            assert "varies" in words or "total weight" in words
    for p in (2, 6, 40):
        X, y = easy((2,) * min(p, 3), p=p)
        if is_plain_qda(case):
            assert "regularization" in refusal(case.model, X, y)
        else:
            assert_array_equal(answer(fit(case.model, X, y), X), y)


# Left out: 4,950 models (test_multiclass has many), and Hessians of 2,079 by 2,079, many times.
@pytest.mark.parametrize(
    "case",
    [case for case in CASES if not isinstance(case.model, OneVsOne | LogisticRegression)],
    ids=name,
)
def test_one_hundred_classes(case):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(100), 3)
    X = rng.choice([20.0, 200.0], (100, 20))[y] + rng.normal(0, 4, (300, 20))
    if is_plain_qda(case):
        assert "regularization" in refusal(case.model, X, y)
    else:
        assert np.mean(answer(fit(case.model, X, y), X) == y) > 0.98


@every
def test_a_thousand_rows_against_three(case):
    X, y = easy((1000, 3))
    if is_plain_qda(case):
        assert "regularization" in refusal(case.model, X, y)
    else:
        assert_array_equal(answer(fit(case.model, X, y), X), y)


@every
def test_classes_that_a_plane_separates(case):
    X, y = easy((40, 20))
    assert_array_equal(answer(fit(case.model, X, y), X), y)
    if isinstance(case.model, Perceptron):
        assert fit(case.model, X, y).converged_
    if getattr(case.model, "C", 1.0) == np.inf:
        with pytest.warns(SeparationWarning, match=r"(?s)features?.*a finite C"):
            clone(case.model).fit(X, y)


@every
def test_offsets(case):
    X, y = clouds()
    for offset in (1e6, -1e6) if case.offsets else ():
        assert_same(case, X, X + offset, y)


# Powers of two cost no digits: 1e-8, 1e8, 1e-4, 1e4 nearly.
SCALES = 2.0 ** np.array([-27, 27, 0, -13, 13])


@every
def test_scales_from_1e_minus_8_to_1e8_in_one_table(case):
    X, y = clouds()
    if case.units == "each":
        assert_same(case, X, X * SCALES, y)
    else:
        # What a shrunken or penalised model makes of features that differ so is its definition.
        answer(fit(case.model, X * SCALES, y), X * SCALES)


def assert_same_unless_refused(case, scale, units):
    X, y = clouds()
    Z = X / 16 * scale
    words = refusal(case.model, Z, y)
    if words is not None:
        assert "overflow" in words or "underflows" in words
    elif case.units in units:
        assert_same(case, X, Z, y)
    else:
        answer(fit(case.model, Z, y), Z)


@every
def test_huge_and_tiny_values(case):
    for exponent in (498, 330, -330):  # about 1e150, 1e100, 1e-100
        assert_same_unless_refused(case, 2.0**exponent, ("each", "all"))
    if "C=inf" not in name(case):
        assert_same_unless_refused(case, 2.0**-498, ("each", "all"))
        assert_same_unless_refused(case, 2.0 ** np.array([498, 0, 0, 0, -498]), ("each",))


@every_but_logistic
def test_values_whose_squares_overflow_are_refused(case):
    X, y = clouds()
    for value in (1e160, 1e300):
        words = refusal(case.model, X * value / 256, y)
        # Counts are not squared.
        assert words is None or "overflow" in words
        if words is None:
            answer(fit(case.model, X * value / 256, y), X * value / 256)


@every
def test_rows_far_beyond_the_training_rows_are_classified_or_refused(case):
    X, y = clouds()
    model = fit(case.model, X, y)
    far = np.abs(np.random.default_rng(0).standard_normal((20, X.shape[1])))
    answer(model, far * 1e100)
    answer(model, far * 1e150)
    for largest in (np.full(X.shape[1], np.finfo(float).max), X[0] * 1e300, X[0] * 1e150):
        try:
            answer(model, largest[None])
        except ValueError as error:
            assert_clear(error)
            assert "overflow" in str(error)
