"""Many classes from two: loops, scikit-learn's reductions, and the lecture's confusion."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lincore
from lincore import (
    GaussianNB,
    LinearDiscriminantAnalysis,
    OneVsOne,
    OneVsRest,
    QuadraticDiscriminantAnalysis,
)
from lincore.estimators import Ambiguity
from lincore.linalg import Reason, iteration_callback
from tests.lincore.estimators.test_linear_discriminant import unbalanced
from tests.lincore.references_multiclass import claims_by_loops, votes_by_loops

BINARY = [
    LinearDiscriminantAnalysis(),
    QuadraticDiscriminantAnalysis(regularization=0.1),
    GaussianNB(),
    RidgeClassifier(),
    KNeighborsClassifier(3),
]
SIZES = [(60, 25, 9), (40, 7), (5, 9, 30, 12, 8), (40, 7), (60, 25, 9)]
by_name = pytest.mark.parametrize(
    ("binary", "sizes"), list(zip(BINARY, SIZES, strict=True)), ids=str
)


def pinwheel():
    """Three slanting bars, each the last one turned by a third: the origin is nobody's."""
    turns = np.exp(2j * np.pi / 3) ** np.arange(3)
    Z = np.ravel(turns[:, None] * [2j, 1 + 3j, -1 + 1j])
    return np.column_stack([Z.real, Z.imag]), np.repeat(["a", "b", "c"], 3)


class Sign(ClassifierMixin, BaseEstimator):
    """A classifier that only predicts: the second class where the first feature is large."""

    def fit(self, X, y):
        """Put the threshold between the means."""
        self.classes_ = np.unique(y)
        self.threshold_ = np.mean([X[y == label, 0].mean() for label in self.classes_])
        return self

    def predict(self, X):
        """Compare with the threshold."""
        return self.classes_[(X[:, 0] > self.threshold_).astype(int)]


@by_name
def test_claims_and_votes_are_those_of_loops(binary, sizes):
    X, y = unbalanced(sizes=sizes)
    Z = unbalanced(seed=1, sizes=sizes)[0]
    rest, one = OneVsRest(binary).fit(X, y), OneVsOne(binary).fit(X, y)
    claims, votes = claims_by_loops(binary, X, y, Z), votes_by_loops(binary, X, y, Z)
    assert_array_equal(rest.claims(Z), claims)
    assert_array_equal(one.votes(Z), votes)
    assert_array_equal(rest.ambiguity(Z) == Ambiguity.CLEAR, claims.sum(axis=1) == 1)
    assert_array_equal(rest.ambiguity(Z) == Ambiguity.CLAIMED_BY_NONE, ~claims.any(axis=1))
    assert_array_equal(rest.ambiguity(Z) == Ambiguity.CLAIMED_BY_SEVERAL, claims.sum(axis=1) > 1)
    tied = np.sort(votes, axis=1)[:, -1] == np.sort(votes, axis=1)[:, -2]
    assert_array_equal(one.ambiguity(Z) == Ambiguity.TIED_VOTES, tied)


@by_name
def test_labels_are_scikit_learns(binary, sizes):
    X, y = unbalanced(sizes=sizes)
    theirs = OneVsRestClassifier(binary).fit(X, y)
    ours = OneVsRest(binary).fit(X, y)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    ours, theirs = OneVsOne(binary).fit(X, y), OneVsOneClassifier(binary).fit(X, y)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    if len(sizes) > 2 and hasattr(binary, "coef_"):
        assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-12)


@given(st.integers(0, 1000), st.integers(2, 6))
@settings(max_examples=10)
def test_laws(seed, n_classes):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(4, 20, n_classes)
    X, y = unbalanced(seed, sizes=sizes, offset=float(rng.choice([0, -1e6])))
    rest = OneVsRest(LinearDiscriminantAnalysis(shrinkage=0.1)).fit(X, y)
    one = OneVsOne(LinearDiscriminantAnalysis(shrinkage=0.1)).fit(X, y)
    # Who is clear is predicted; every pair gives one vote; the order of rows is nothing.
    clear = rest.ambiguity(X) == Ambiguity.CLEAR
    assert_array_equal(rest.predict(X)[clear], rest.claims(X)[clear].argmax(axis=1))
    clear = one.ambiguity(X) == Ambiguity.CLEAR
    assert_array_equal(one.predict(X)[clear], one.votes(X)[clear].argmax(axis=1))
    assert_array_equal(one.votes(X).sum(axis=1), n_classes * (n_classes - 1) // 2)
    winners = np.take_along_axis(one.votes(X), one.predict(X)[:, None], axis=1)[:, 0]
    assert_array_equal(winners, one.votes(X).max(axis=1))
    order = rng.permutation(len(X))
    again = OneVsRest(LinearDiscriminantAnalysis(shrinkage=0.1)).fit(X[order], y[order])
    assert_allclose(again.margins(X), rest.margins(X), rtol=1e-6, atol=1e-6)
    with_rest = OneVsRest(LinearDiscriminantAnalysis(shrinkage=0.1), models="k-1").fit(X, y)
    assert_array_equal(with_rest.margins(X), rest.margins(X)[:, :-1])
    assert not (with_rest.ambiguity(X) == Ambiguity.CLAIMED_BY_NONE).any()
    assert_array_equal(with_rest.claims(X)[:, -1], (with_rest.margins(X) <= 0).all(axis=1))


def test_one_versus_the_rest_leaves_the_middle_to_nobody():
    X, y = pinwheel()
    model = OneVsRest(LinearDiscriminantAnalysis(shrinkage=0.1, priors=[0.9, 0.1])).fit(X, y)
    assert model.ambiguity([[0.0, 0.0]]) == [Ambiguity.CLAIMED_BY_NONE]
    assert_array_equal(model.claims([[0.0, 0.0]]), [[False, False, False]])
    outer = np.flatnonzero(np.arange(9) % 3 < 2)
    assert_array_equal(model.ambiguity(X[outer]), Ambiguity.CLEAR)


def test_half_planes_that_cross_are_claimed_by_both():
    # The half-planes y > x + 1 and y > 1 - x, say: far above, both are right.
    X = np.array([[-3, 0], [-4, 1], [-5, 0], [3, 0], [4, 1], [5, 0], [0, -3], [1, -4], [-1, -4.0]])
    y = np.repeat([0, 1, 2], 3)
    for models in ("k", "k-1"):
        model = OneVsRest(LinearDiscriminantAnalysis(shrinkage=0.1), models=models).fit(X, y)
        assert model.ambiguity([[0.0, 50.0]]) == [Ambiguity.CLAIMED_BY_SEVERAL]
        assert_array_equal(model.claims([[0.0, 50.0]]), [[True, True, False]])


def test_one_versus_one_ties_three_ways_in_the_middle():
    X, y = pinwheel()
    model = OneVsOne(LinearDiscriminantAnalysis(shrinkage=0.1)).fit(X, y)
    assert_array_equal(model.votes([[0.0, 0.0]]), [[1, 1, 1]])
    assert model.ambiguity([[0.0, 0.0]]) == [Ambiguity.TIED_VOTES]
    assert_array_equal(model.ambiguity(X), Ambiguity.CLEAR)
    # A little nearer to one bar the votes are still tied, and the margins decide.
    near = 0.05 * X[::3]
    assert_array_equal(model.ambiguity(near), Ambiguity.TIED_VOTES)
    turned = model.predict(near)
    assert len(set(turned)) == 3


@pytest.mark.parametrize("wrapper", [OneVsRest, OneVsOne])
def test_linear_models_show_their_coefficients(wrapper):
    X, y = unbalanced(sizes=(20, 9, 12, 7))
    model = wrapper(LinearDiscriminantAnalysis()).fit(X, y)
    assert model.coef_.shape == (len(model.estimators_), 4) == (len(model.design_), 4)
    assert_allclose(X @ model.coef_.T + model.intercept_, model.margins(X), rtol=1e-9, atol=1e-9)
    assert not hasattr(wrapper(GaussianNB()).fit(X, y), "coef_")
    assert not hasattr(wrapper(LinearDiscriminantAnalysis()), "coef_")


@pytest.mark.parametrize("wrapper", [OneVsRest, OneVsOne])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_weights_reach_the_models_or_are_refused(wrapper, n_classes):
    X, y = unbalanced(sizes=(30, 20, 10)[:n_classes])
    weight = np.random.default_rng(0).integers(1, 4, len(X))
    weighted = wrapper(LogisticRegression(tol=1e-10)).fit(X / 100, y, sample_weight=weight)
    repeated = wrapper(LogisticRegression(tol=1e-10)).fit(
        np.repeat(X / 100, weight, axis=0), np.repeat(y, weight)
    )
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="KNeighborsClassifier.fit takes no sample_weight"):
        wrapper(KNeighborsClassifier()).fit(X, y, sample_weight=weight)
    with pytest.raises(ValueError, match="put its transformers in front"):
        wrapper(make_pipeline(StandardScaler(), GaussianNB())).fit(X, y, sample_weight=weight)
    with pytest.raises(ValueError, match=r"classes \[0\] have weight zero"):
        wrapper(LogisticRegression()).fit(X, y, sample_weight=(y > 0).astype(float))


@pytest.mark.parametrize("wrapper", [OneVsRest, OneVsOne])
def test_a_model_that_only_predicts_will_do(wrapper):
    X, y = unbalanced(sizes=(30, 20, 10))
    model = wrapper(Sign()).fit(X, y)
    assert set(np.unique(model.margins(X))) <= {-1.0, 1.0}
    assert set(model.predict(X)) <= {0, 1, 2}


@pytest.mark.parametrize("wrapper", [OneVsRest, OneVsOne])
def test_many_classes_and_one_feature(wrapper):
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(40), 4)
    X = 1e6 + y[:, None] + 0.01 * rng.standard_normal((160, 1))
    model = wrapper(QuadraticDiscriminantAnalysis()).fit(X, y)
    assert model.score(X, y) == 1


def test_what_does_not_fit_is_said():
    X, y = pinwheel()
    with pytest.raises(ValueError, match="models must be 'k' or 'k-1'"):
        OneVsRest(LinearDiscriminantAnalysis(), models=3).fit(X, y)
    with pytest.raises(ValueError, match="at least two classes; got 1 class"):
        OneVsOne(LinearDiscriminantAnalysis()).fit(X, ["a"] * 9)
    with pytest.raises(ValueError, match="No feature varies") as caught:
        OneVsOne(LinearDiscriminantAnalysis()).fit([[0.0], [1.0], [2.0]], list("abc"))
    assert caught.value.__notes__ == ["While fitting classes ['b'] against ['a']."]


@pytest.mark.parametrize("kind", [OneVsRest, OneVsOne])
def test_many_planes_are_asked_in_one_product(kind):
    X, y = unbalanced(3, sizes=np.arange(4, 40))
    model = kind(LinearDiscriminantAnalysis(shrinkage=0.1)).fit(X, y)
    alone = np.column_stack([part.decision_function(X) for part in model.estimators_])
    assert alone.shape[1] > 32
    assert_allclose(model.margins(X), alone, rtol=1e-9, atol=1e-9 * np.abs(alone).max())
    if kind is OneVsOne:
        expected = votes_by_loops(model.estimator, X, y, X)
        assert_array_equal(model.votes(X), expected)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    ("wrapper", "n_classes", "n", "p"), [(OneVsOne, 8, 240, 3), (OneVsRest, 12, 300, 2),
                                         (OneVsOne, 6, 40, 15)],
)  # fmt: skip
def test_many_small_logistic_models_are_those_that_fit_by_themselves(
    wrapper, n_classes, n, p, weighted
):
    rng = np.random.default_rng(n)
    # Unequal classes, far from the origin, in units of very different size.
    codes = np.minimum(np.arange(n) % (n_classes + 5), n_classes - 1)
    X = 1e4 + (rng.normal(size=(n_classes, p))[codes] + rng.normal(size=(n, p))) * 10.0 ** (
        np.arange(p) % 5 - 2
    )
    weight = rng.integers(0, 3, n) + 0.5 if weighted else None
    binary = lincore.LogisticRegression(C=2.0)
    model = wrapper(binary).fit(X, codes, weight)
    assert len(model.estimators_) >= 10
    for row, found in zip(model.design_, model.estimators_, strict=True):
        used = row[codes] != 0
        alone = clone(binary).fit(
            X[used], (row[codes][used] > 0).astype(int), None if weight is None else weight[used]
        )
        scale = X.std(axis=0)
        assert_allclose(found.coef_ * scale, alone.coef_ * scale, atol=1e-5)
        assert_allclose(found.decision_function(X), alone.decision_function(X), atol=1e-4)
        assert found.log_loss_ == pytest.approx(alone.log_loss_, rel=1e-6)
        assert found.get_params() == alone.get_params()
        assert vars(found).keys() == vars(alone).keys()
        assert (found.reason_, found.converged_, found.separation_) == (Reason.GRADIENT, True, None)
        assert found.trace_[0].objective == pytest.approx(alone.trace_[0].objective)
        assert found.trace_[-1].objective == pytest.approx(alone.trace_[-1].objective)
        assert found.trace_[-1].gradient_norm <= binary.tol * n * 2.5
        assert found.n_iter_ == len(found.trace_) - 1


@pytest.mark.parametrize(
    "options", [{"solver": "newton"}, {"max_iter": 200}, {"fit_intercept": False, "C": 0.3}]
)
def test_many_small_logistic_models_with_other_options_are_those_that_fit_by_themselves(
    options, monkeypatch
):
    rng = np.random.default_rng(1)
    codes = np.arange(160) % 8
    X = rng.normal(size=(8, 3))[codes] + rng.normal(size=(160, 3))
    binary = lincore.LogisticRegression(**options)
    with monkeypatch.context() as none:
        none.setattr(lincore.LogisticRegression, "fit", None)
        together = OneVsOne(binary).fit(X, codes)
    monkeypatch.setattr("lincore.estimators.logistic.batched.MOST_CLASSES", 0)
    each = OneVsOne(binary).fit(X, codes)
    assert_allclose(together.decision_function(X), each.decision_function(X), atol=1e-6)
    for found, alone in zip(together.estimators_, each.estimators_, strict=True):
        assert_allclose(found.intercept_, alone.intercept_, atol=1e-6)
        assert found.log_loss_ == pytest.approx(alone.log_loss_, rel=1e-8)
        assert found.get_params() == alone.get_params()


def test_many_small_models_can_be_stopped():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(120, 2)), np.arange(120) % 8
    with iteration_callback(lambda step, max_iter: False), pytest.warns(ConvergenceWarning):
        model = OneVsOne(lincore.LogisticRegression()).fit(X, codes)
    assert {part.reason_ for part in model.estimators_} == {Reason.STOPPED}
    with pytest.raises(ValueError, match="batch_size must be positive"):
        OneVsOne(lincore.LogisticRegression(batch_size=0)).fit(X, codes)


@pytest.mark.parametrize("kind", [OneVsRest, OneVsOne])
def test_missing_values_are_left_to_an_estimator_that_takes_them(kind):
    X, y = load_iris(return_X_y=True)
    X[::7, 1] = np.nan
    model = kind(make_pipeline(SimpleImputer(), LogisticRegression())).fit(X, y)
    filled = SimpleImputer().fit_transform(X)
    assert model.score(X, y) > 0.9 and model.predict_proba(X).shape == (150, 3)
    if kind is OneVsRest:  # each model fills in from the same rows
        same = kind(LogisticRegression()).fit(filled, y)
        np.testing.assert_allclose(model.predict_proba(X), same.predict_proba(filled), rtol=1e-6)
    with pytest.raises(ValueError, match="NaN"):
        kind(LogisticRegression()).fit(X, y)
    X[0, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        model.fit(X, y)
