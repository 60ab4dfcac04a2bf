"""Fisher: the text's direction, J in both definitions, three thresholds, and the extremes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import eigh
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as ScikitLDA

from lincore import FisherDiscriminant, LinearDiscriminantAnalysis, Moments
from lincore.estimators import ConstantFeatureWarning
from tests.lincore.estimators.comparisons import close
from tests.lincore.estimators.test_linear_discriminant import unbalanced
from tests.lincore.references_linear import (
    criterion_of_prml,
    criterion_of_the_lecture,
    fewest_errors_of_a_threshold,
    fisher_by_the_text,
)

THRESHOLDS = ["midpoint", "gaussian", "minimum-error"]


def errors(model, X, y, weight=None):
    return np.sum((model.predict(X) != y) * (1 if weight is None else weight))


def test_two_classes_have_the_texts_direction_pointing_to_the_second():
    X, y = unbalanced(sizes=(60, 25))
    ratio = FisherDiscriminant().fit(X, y).directions_[0] / fisher_by_the_text(X, y)
    assert ratio[0] > 0
    assert_allclose(ratio, ratio[0], rtol=1e-9)


@pytest.mark.parametrize("sizes", [(60, 25, 9), (5, 9, 30, 12, 8)])
def test_many_classes_solve_the_generalised_eigenproblem(sizes):
    X, y = unbalanced(sizes=sizes)
    means, counts = np.array([X[y == k].mean(0) for k in range(len(sizes))]), np.array(sizes)
    S_W = sum((X[y == k] - means[k]).T @ (X[y == k] - means[k]) for k in range(len(sizes)))
    S_B = ((means - X.mean(0)) * counts[:, None]).T @ (means - X.mean(0))
    values, vectors = eigh(S_B, S_W / len(X))
    model = FisherDiscriminant().fit(X, y)
    d = min(len(sizes) - 1, X.shape[1])
    assert_allclose(model.criterion_, values[::-1][:d] / len(X), rtol=1e-8)
    assert_allclose(np.abs(model.directions_), np.abs(vectors[:, ::-1][:, :d].T), rtol=1e-6)
    theirs = ScikitLDA(solver="svd").fit(X, y).transform(X)
    assert_allclose(np.abs(model.transform(X)), np.abs(theirs), rtol=1e-6, atol=1e-8)


def test_projections_have_unit_variance_within_classes_and_are_uncorrelated():
    X, y = unbalanced()
    model = FisherDiscriminant().fit(X, y)
    Z = model.transform(X)
    within = Moments.from_groups(Z, y, 3).within() / len(X)
    assert_allclose(within, np.eye(2), atol=1e-10)
    assert_allclose(Z.mean(axis=0), 0, atol=1e-10)
    assert (model.projected_means_[-1] > 0).all()
    assert model.get_feature_names_out().tolist() == ["fisherdiscriminant0", "fisherdiscriminant1"]


@given(st.integers(0, 1000), st.sampled_from([(60, 25), (40, 3), (10, 20, 9)]))
def test_criterion_is_that_of_the_texts_for_any_direction(seed, sizes):
    X, y = unbalanced(seed, sizes=sizes)
    W = np.random.default_rng(seed).standard_normal((6, 4))
    model = FisherDiscriminant().fit(X, y)
    assert_allclose(model.criterion(W), [criterion_of_the_lecture(X, y, w) for w in W])
    assert_allclose(model.criterion(model.directions_), model.criterion_)
    # No direction has a larger J.
    assert (model.criterion(W) <= model.criterion_[0] * (1 + 1e-12)).all()
    if len(sizes) == 2:
        assert_allclose(model.criterion(W, "prml"), [criterion_of_prml(X, y, w) for w in W])
        share = np.prod(sizes) / sum(sizes)
        assert_allclose(model.criterion(W), share * model.criterion(W, "prml"))


def test_criterion_keeps_the_shape_and_refuses_what_has_no_meaning():
    X, y = unbalanced()
    model = FisherDiscriminant().fit(X, y)
    assert model.criterion([1.0, 0, 0, 0]).shape == ()
    assert model.criterion(np.ones((2, 3, 4))).shape == (2, 3)
    with pytest.raises(ValueError, match="two classes"):
        model.criterion(np.ones(4), "prml")
    with pytest.raises(ValueError, match="definition"):
        model.criterion(np.ones(4), "variance")
    with pytest.raises(ValueError, match="4 features"):
        model.criterion(np.ones(3))
    with pytest.raises(ValueError, match="not zero"):
        model.criterion(np.zeros(4))
    with pytest.raises(ValueError, match="not zero"):
        model.criterion([np.zeros(4), np.ones(4)])
    with pytest.warns(ConstantFeatureWarning):
        flat = FisherDiscriminant().fit(
            [[0.0, 1, 5, 0], [2, 1, 5, 2], [1, 3, 5, 7]] * 2, [0, 0, 1] * 2
        )
    assert_array_equal(flat.criterion(np.eye(4)[:3]), [0.0, np.inf, 0.0])


def test_midpoint_is_the_middle_between_the_projected_means():
    X, y = unbalanced(sizes=(60, 25))
    model = FisherDiscriminant().fit(X, y)
    middle = (X[y == 0].mean(axis=0) + X[y == 1].mean(axis=0)) / 2
    assert_allclose(model.decision_function(middle[None]), 0, atol=1e-10)
    X, y = unbalanced()
    model = FisherDiscriminant().fit(X, y)
    gaps = model.transform(X)[:, None] - model.projected_means_
    assert_array_equal(model.predict(X), (gaps**2).sum(axis=2).argmin(axis=1))


@pytest.mark.parametrize("sizes", [(60, 25), (60, 25, 9)])
@pytest.mark.parametrize("priors", [None, "other"])
def test_gaussian_is_lda_with_all_directions(sizes, priors):
    X, y = unbalanced(sizes=sizes)
    priors = None if priors is None else np.arange(1, len(sizes) + 1) / sum(range(len(sizes) + 1))
    ours = FisherDiscriminant("gaussian", priors=priors).fit(X, y).decision_function(X)
    lda = LinearDiscriminantAnalysis(priors=priors).fit(X, y).decision_function(X)
    if len(sizes) > 2:
        ours, lda = ours - ours[:, :1], lda - lda[:, :1]
    close(ours, lda, 1e-9)


@given(st.integers(0, 1000), st.sampled_from([(30, 12), (40, 3)]), st.booleans())
def test_minimum_error_is_the_fewest_of_all_thresholds(seed, sizes, weighted):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], sizes)
    X = np.round(rng.standard_normal((len(y), 2)) + 0.7 * y[:, None], 1)
    weight = rng.integers(0, 4, len(y)) + (np.arange(len(y)) % 5 == 0) if weighted else None
    model = FisherDiscriminant("minimum-error").fit(X, y, sample_weight=weight)
    used = np.ones(len(y)) if weight is None else weight.astype(float)
    z = np.round(model.transform(X)[:, 0], 9)
    assert errors(model, X, y, used) == fewest_errors_of_a_threshold(z, y == 1, used)


@given(st.integers(0, 1000))
def test_minimum_error_of_many_classes_cannot_be_bettered_by_one_offset(seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2, 3], [20, 10, 15, 5])
    X = rng.standard_normal((50, 3)) + rng.standard_normal((4, 3))[y]
    model = FisherDiscriminant("minimum-error").fit(X, y)
    fewest = errors(model, X, y)
    assert fewest <= errors(FisherDiscriminant("gaussian").fit(X, y), X, y)
    scores = model.decision_function(X)
    for k in range(4):
        margins = scores[:, k] - np.delete(scores, k, axis=1).max(axis=1)
        for margin in margins:
            for moved in (margin - 1e-7, margin + 1e-7):
                shifted = scores - moved * (np.arange(4) == k)
                assert (shifted.argmax(axis=1) != y).sum() >= fewest


def test_minimum_error_needs_rows_and_says_so():
    model = FisherDiscriminant("minimum-error")
    assert not hasattr(model, "partial_fit")
    with pytest.raises(AttributeError) as caught:
        model.fit_moments(Moments.empty((2,), 3), [0, 1])
    assert "counts errors on the rows" in str(caught.value.__cause__)


@pytest.mark.parametrize("threshold", THRESHOLDS)
@given(seed=st.integers(0, 1000), offset=st.sampled_from([0.0, -1e6]))
def test_neither_order_nor_replication_nor_affine_maps_matter(threshold, seed, offset):
    X, y = unbalanced(seed)
    X = np.round(X * 2**10) / 2**10
    rng = np.random.default_rng(seed)
    weight, order = rng.integers(0, 4, len(X)) + (np.arange(len(X)) % 4 == 0), rng.permutation(94)
    weighted = FisherDiscriminant(threshold).fit(X[order] + offset, y[order], weight[order])
    repeated = FisherDiscriminant(threshold).fit(np.repeat(X, weight, 0), np.repeat(y, weight))
    close(weighted.transform(X + offset), repeated.transform(X), 1e-6)
    close(weighted.decision_function(X + offset), repeated.decision_function(X), 1e-5)
    A = rng.standard_normal((4, 4)) + 4 * np.eye(4)
    mapped = FisherDiscriminant(threshold).fit(X @ A + 7, y, weight)
    close(mapped.transform(X @ A + 7), repeated.transform(X), 1e-5)


def test_a_class_still_without_rows_is_never_predicted():
    X, y = unbalanced(sizes=(20, 20))
    for threshold in ("midpoint", "gaussian"):
        model = FisherDiscriminant(threshold).partial_fit(X, y, [0, 1, 2])
        assert len(model.directions_) == 1
        assert set(model.predict(X)) == {0, 1}
        assert not np.isnan(model.decision_function(X)).any()
    model = FisherDiscriminant("minimum-error").fit(
        np.vstack([X, X[:1]]), np.r_[y, 2], sample_weight=np.r_[np.ones(40), 0]
    )
    assert set(model.predict(X)) == {0, 1}


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_more_features_than_rows_equals_the_full_scatter(threshold):
    X, y = unbalanced(sizes=(8, 5, 6), p=40)
    space = FisherDiscriminant(threshold).fit(X, y)
    lda = LinearDiscriminantAnalysis().fit(X, y)
    if threshold != "minimum-error":
        full = FisherDiscriminant(threshold)
        full.fit_moments(Moments.from_groups(X, y, 3), [0, 1, 2])
        close(space.directions_, full.directions_, 1e-4)
        W = np.random.default_rng(0).standard_normal((3, 40))
        close(space.criterion(W), full.criterion(W), 1e-7)
        close(space.moments_.scatter, full.moments_.scatter, 1e-8)
    assert_array_equal(space.predict(X), lda.predict(X))


@pytest.mark.parametrize("p", [2, 5])
def test_what_has_no_answer_is_refused_with_a_reason(p):
    with pytest.raises(ValueError, match="No feature varies within the classes"):
        FisherDiscriminant().fit(np.eye(3, p), [0, 1, 2])
    rows = np.random.default_rng(0).standard_normal((3, p))
    with pytest.raises(ValueError, match="class means are equal"):
        FisherDiscriminant().fit(np.vstack([rows, rows]), [0] * 3 + [1] * 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": "best"}, "threshold"),
        ({"n_components": 3}, "n_components"),
        ({"n_components": 1.0}, "n_components"),
        ({"priors": [0.5, 0.5]}, "3 probabilities"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        FisherDiscriminant(**options).fit(*unbalanced())


def test_fewer_components_are_the_first_of_all():
    X, y = unbalanced()
    one, all_ = FisherDiscriminant(n_components=1).fit(X, y), FisherDiscriminant().fit(X, y)
    assert_allclose(one.directions_, all_.directions_[:1])
    assert_allclose(one.criterion_, all_.criterion_[:1])
    assert set(one.predict(X)) <= {0, 1, 2}
