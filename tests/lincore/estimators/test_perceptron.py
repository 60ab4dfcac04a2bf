"""The perceptron: the text's loop row by row, its bound, what is kept, and the extremes."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from lincore import Perceptron
from lincore.estimators import mistake_bound
from tests.lincore.estimators.test_linear_discriminant import unbalanced
from tests.lincore.references_linear import (
    perceptron_of_many_classes,
    perceptron_of_the_r_text,
)


def separable(seed=0, n=60, p=3, n_classes=2, gap=0.2):
    """Rows whose classes planes through known points separate with room to spare."""
    rng = np.random.default_rng(seed)
    W = rng.standard_normal((n_classes, p))
    X = rng.standard_normal((20 * n, p))
    scores = np.sort(X @ W.T, axis=1)
    X = X[scores[:, -1] - scores[:, -2] > gap][:n]
    # Planes through the origin leave rows on both sides; then the origin is moved.
    return X + 0.5, np.unique((X @ W.T).argmax(axis=1), return_inverse=True)[1]


def fit(X, y, sample_weight=None, **options):
    """Fit without a word about convergence."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return Perceptron(**options).fit(X, y, sample_weight)


@given(st.integers(0, 1000), st.sampled_from([1.0, 0.25]), st.booleans())
def test_two_classes_take_the_texts_steps(seed, eta, apart):
    X, y = separable(seed) if apart else (unbalanced(seed, sizes=(30, 12))[0], np.arange(42) % 2)
    X = np.round(X * 16) / 16  # dyadic, so that every sum is exact and the steps are the same
    W, mistakes = perceptron_of_the_r_text(X, np.where(y == y.max(), 1, -1), eta, max_epochs=30)
    model = fit(X, y, eta=eta, max_epochs=30, tol=0, standardize=False, shuffle=False)
    assert_array_equal(model.coef_[0], W[1:])
    assert_array_equal(model.intercept_[0], W[0])
    assert_array_equal(model.mistakes_, mistakes)
    assert model.converged_ == (mistakes[-1] == 0)
    assert model.n_updates_ == sum(mistakes) and model.n_iter_ == len(mistakes)


@given(
    st.integers(0, 1000),
    st.sampled_from([2, 3, 7]),
    st.booleans(),
    st.sampled_from([1, 5, 50_000]),
)
def test_many_classes_row_by_row_whatever_the_block(seed, n_classes, weighted, block):
    rng = np.random.default_rng(seed)
    X, y = np.round(rng.standard_normal((60, 3)) * 16) / 16, rng.integers(0, n_classes, 60)
    y[:n_classes] = np.arange(n_classes)
    weight = rng.integers(1, 4, 60) / 2 if weighted else None
    last, mean, mistakes = perceptron_of_many_classes(X, y, n_classes, max_epochs=5, weight=weight)
    options = {"max_epochs": 5, "tol": 0, "standardize": False, "shuffle": False}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lincore.estimators._perceptron_epochs.BLOCK_VALUES", block)
        models = [fit(X, y, weight, weights=w, **options) for w in ("last", "averaged")]
    for model, W in zip(models, (last, mean), strict=True):
        W = W if n_classes > 2 else W[1:] - W[:1]
        assert_allclose(model.coef_, W[:, 1:], rtol=1e-9, atol=1e-12)
        assert_allclose(model.intercept_, W[:, 0], rtol=1e-9, atol=1e-12)
        assert_array_equal(model.mistakes_, mistakes)


@given(st.integers(0, 1000), st.sampled_from([2, 3, 5]))
def test_no_more_mistakes_than_the_bound_when_planes_separate(seed, n_classes):
    X, y = separable(seed, n_classes=n_classes)
    model = fit(X, y, max_epochs=20_000, standardize=False, random_state=seed)
    assert model.converged_ and model.mistakes_[-1] == 0
    assert_array_equal(model.predict(X), y)
    assert model.n_updates_ <= mistake_bound(X, y, model.coef_, model.intercept_)
    if y.max() == 1:
        svm = SVC(kernel="linear", C=1e6).fit(X, y)
        assert model.n_updates_ <= mistake_bound(X, y, svm.coef_, svm.intercept_)


def test_bound_by_hand_and_infinite_without_separation():
    X, y = [[-1.0], [1.0]], [0, 1]
    assert mistake_bound(X, y, [[3.0]], [0.0]) == pytest.approx(2.0)  # R² = 2, γ = 1
    assert mistake_bound(X, y, [[-1.5], [1.5]], [0.0, 0.0]) == pytest.approx(2.0)
    assert mistake_bound(X, y, [[-1.0]], [0.0]) == np.inf


def test_it_says_plainly_that_it_did_not_converge():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), [0, 1, 0, 1]
    with pytest.warns(ConvergenceWarning, match="did not converge: the last of 7 epochs still had"):
        model = Perceptron(max_epochs=7).fit(X, y)
    assert not model.converged_ and model.n_iter_ == 7


def test_coming_back_to_the_same_weights_is_a_stop_but_no_convergence():
    """Two equal rows of two classes: each epoch undoes what it did."""
    model = fit([[1.0], [1.0]], [0, 1], standardize=False, shuffle=False)
    assert model.n_iter_ < 100 and not model.converged_ and model.mistakes_[-1] == 2


def overlapping(seed, n=300):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], [n // 2, n // 3, n // 6])
    return rng.standard_normal((len(y), 4)) + 1.5 * rng.standard_normal((3, 4))[y], y


@pytest.mark.parametrize("seed", range(2))
def test_the_pocket_is_never_worse_than_the_last_weights_nor_than_any_epoch(seed):
    X, y = overlapping(seed)
    pocket = fit(X, y, weights="pocket", max_epochs=20, random_state=0)
    for epochs in range(1, 21):
        last = fit(X, y, max_epochs=epochs, random_state=0)
        assert pocket.score(X, y) >= last.score(X, y) - 1e-12
    averaged = fit(X, y, weights="averaged", max_epochs=20, random_state=0)
    assert averaged.score(X, y) > last.score(X, y) - 0.02


def test_the_pocket_is_the_last_weights_when_these_separate():
    X, y = separable()
    last = fit(X, y, max_epochs=2000, random_state=0)
    pocket = fit(X, y, max_epochs=2000, random_state=0, weights="pocket")
    assert last.converged_
    assert pocket.score(X, y) == 1


@given(st.integers(0, 1000), st.sampled_from(["last", "pocket", "averaged"]))
def test_standardised_steps_do_not_depend_on_offset_and_units(seed, weights):
    X, y = overlapping(seed)
    X = np.round(X * 2**10) / 2**10
    options = {"max_epochs": 5, "random_state": seed, "weights": weights}
    plain = fit(X, y, **options)
    units = np.array([1e-8, 1e8, 1.0, 1e4])
    moved = fit(X * units, y, **options)
    assert_array_equal(moved.mistakes_, plain.mistakes_)
    assert_allclose(moved.decision_function(X * units), plain.decision_function(X), atol=1e-6)
    far = fit(X + 1e6, y, **options)
    assert_array_equal(far.mistakes_, plain.mistakes_)
    assert_allclose(far.decision_function(X + 1e6), plain.decision_function(X), atol=1e-5)


def test_eta_only_scales_the_weights():
    X, y = overlapping(0)
    one, small = (fit(X, y, eta=eta, max_epochs=5, random_state=0) for eta in (1.0, 2.0**-10))
    assert_array_equal(small.coef_, one.coef_ / 2**10)


def test_rows_of_no_weight_and_classes_without_rows_are_absent():
    X, y = overlapping(0)
    absent = y == 1
    options = {"max_epochs": 5, "shuffle": False}
    weighted = fit(X, y, np.where(absent, 0.0, 1.0), **options)
    without = fit(X[~absent], y[~absent], **options)
    assert_array_equal(weighted.predict(X), without.predict(X))
    assert_allclose(weighted.coef_[2] - weighted.coef_[0], without.coef_[0])
    assert not np.isnan(weighted.decision_function(X)).any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": "best"}, "weights"),
        ({"eta": 0.0}, "eta"),
        ({"tol": -1.0}, "tol"),
        ({"max_epochs": 0}, "max_epochs"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Perceptron(**options).fit(*separable())


def test_one_class_is_refused():
    X, y = separable()
    with pytest.raises(ValueError, match="got 1 class"):
        Perceptron().fit(X, y, sample_weight=y * 1.0)
