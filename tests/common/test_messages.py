"""Error messages name the fault and the remedy."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Theirs
from sklearn.feature_selection import SelectKBest

import lincore

IRIS = lincore.sample("iris")


@pytest.mark.parametrize("basis", [SelectKBest(k=2), Theirs()], ids=repr)
def test_a_basis_that_needs_the_classes(basis):
    with pytest.raises(ValueError, match="learns from the classes.*part of the method"):
        lincore.compare(IRIS, ["lda", "logistic"], steps=lincore.Steps(basis=basis))


@pytest.mark.parametrize(
    "model",
    [
        lincore.LinearDiscriminantAnalysis(),
        lincore.LogisticRegression(),
        lincore.LeastSquaresClassifier(),
        lincore.OneVsRest(lincore.LinearDiscriminantAnalysis()),
        lincore.FisherDiscriminant(),
    ],
    ids=repr,
)
def test_long_doubles_with_fewer_rows_than_features(model):
    rng = np.random.default_rng(0)
    X, new = rng.standard_normal((15, 20)), rng.standard_normal((50, 20))
    plain = model.fit(X, np.arange(15) % 3).decision_function(new)
    wide = model.fit(X.astype(np.longdouble), np.arange(15) % 3).decision_function(new)
    assert_allclose(wide, plain, rtol=1e-6, atol=1e-6)


def test_equal_priors_are_a_word_and_others_are_not():
    even = np.full(3, 1 / 3)
    results = lincore.compare(IRIS, ["lda", "qda"])
    found = lincore.metrics.adjust_priors(results, "equal", [0.2, 0.3, 0.5]).log_proba
    assert_allclose(found, lincore.metrics.adjust_priors(results, even, [0.2, 0.3, 0.5]).log_proba)
    adjust, log_proba = lincore.metrics.adjust_posteriors, results.log_proba[0]
    assert_allclose(
        adjust(log_proba, [0.2, 0.3, 0.5], "equal"), adjust(log_proba, [0.2, 0.3, 0.5], even)
    )
    with pytest.raises(ValueError, match="old priors must be 3 probabilities .* or 'equal'"):
        lincore.metrics.adjust_priors(results, "even", even)
    with pytest.raises(ValueError, match="logistic has no option priors"):
        lincore.compare(IRIS, "logistic(priors=equal)")


def test_fewer_components_than_asked_for_are_told():
    twice = np.hstack([IRIS.X, IRIS.X])
    with pytest.warns(UserWarning, match=r"4 directions only.*n_components=6"):
        assert lincore.PCA(6).fit(twice).n_components_ == 4
    few = twice[:4]
    with pytest.warns(UserWarning, match="3 directions only"):
        assert lincore.PCA(4).fit(few).n_components_ == 3
    lincore.PCA(4).fit(twice)
    lincore.PCA(0.99).fit(twice)
