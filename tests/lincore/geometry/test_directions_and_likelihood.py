"""Fisher by hand, joint likelihoods and log ratios: the known numbers of the laboratory."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import lincore
from lincore import DataError
from lincore.geometry import (
    direction_scores,
    gaussian_log_ratio,
    joint_log_likelihood,
    log_ratio,
    model_log_likelihood,
)


@pytest.fixture(scope="module")
def R():
    data = lincore.sample("prml chapter 4")
    return data.X[:100], data.codes[:100]


def unit(degrees):
    radians = np.radians(np.asarray(degrees, dtype=float))
    return np.column_stack([np.cos(radians), np.sin(radians)])


def test_j_of_the_r_rows_at_known_angles(R):
    X, y = R
    between = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    first = np.linalg.svd(X - X.mean(axis=0))[2][0]
    angles = [
        -29.0393,
        0,
        90,
        *(np.degrees(np.arctan2(v[1], v[0])) % 180 for v in (between, first)),
    ]
    assert angles[3:] == pytest.approx([23.14, 25.93], abs=5e-3)
    found = direction_scores(X, y, unit(angles))
    wanted = [13.086342, 9.2996, 1.5891, 6.8451, 6.6016]
    np.testing.assert_allclose(found.criterion, wanted, atol=5e-5)
    assert found.midpoint[0] == pytest.approx(2.445070, abs=5e-6)
    np.testing.assert_allclose(found.between / found.within, found.criterion)
    prml = direction_scores(X, y, unit(angles[:1]), definition="prml").criterion
    assert prml == pytest.approx(0.525345, abs=5e-7)
    turned = direction_scores(X, y, unit(np.arange(0, 180, 0.01))).criterion.argmax() / 100
    assert turned == pytest.approx(180 - 29.04, abs=0.006)


def test_errors_of_many_directions_are_those_of_a_slow_search(R):
    rng = np.random.default_rng(0)
    X, y = np.round(rng.standard_normal((40, 2)), 1), np.arange(40) % 2
    W = unit(np.arange(0, 360, 45))
    found = direction_scores(X, y, W)
    for j, w in enumerate(W):
        along = X @ w
        above = int(along[y == 1].mean() > along[y == 0].mean())
        cuts = [-np.inf, *np.unique(along)]
        errors = [int(((along > cut) != (y == above)).sum()) for cut in cuts]
        # Rounding may part what is equal in exact arithmetic, which helps nobody by much.
        assert abs(found.errors[j] - min(errors)) <= 1
        wrong = (along > found.threshold[j]) != (y == above)
        assert abs(int(wrong.sum()) - found.errors[j]) <= 1
        assert found.midpoint_errors[j] == int(((along > found.midpoint[j]) != (y == above)).sum())
    assert direction_scores(*R, unit([-29.0393])).errors.tolist() == [0]
    with pytest.raises(DataError, match="two classes"):
        direction_scores(X, np.arange(40) % 3, W)


def test_the_estimates_are_the_maximum_of_the_joint_likelihood(R):
    X, y = R
    model = lincore.LinearDiscriminantAnalysis().fit(X, y)
    mu, S, pi = model.means_, model.covariance_, model.priors_
    most = joint_log_likelihood(X, y, mu, S, pi)
    assert most == pytest.approx(-138.4696, abs=5e-5)
    assert model_log_likelihood(model, X, y) == pytest.approx(most, rel=1e-12)
    assert joint_log_likelihood(X, y, mu, S, [0.5, 0.5]) == pytest.approx(-138.6497, abs=5e-5)
    unbiased = joint_log_likelihood(X, y, mu, S * 100 / 98, pi)
    assert unbiased == pytest.approx(-138.4899, abs=5e-5)
    assert joint_log_likelihood(X, y, mu + 0.01, S, pi) < most
    theirs = sum(
        np.log(pi[k]) + multivariate_normal(mu[k], S).logpdf(x) for x, k in zip(X, y, strict=True)
    )
    assert most == pytest.approx(theirs)
    # Every class of its own covariance can only fit better.
    own = lincore.QuadraticDiscriminantAnalysis().fit(X, y)
    assert model_log_likelihood(own, X, y) > most


def test_likelihoods_that_do_not_exist_are_refused(R):
    X, y = R
    with pytest.raises(DataError, match="no class densities"):
        model_log_likelihood(lincore.LogisticRegression().fit(X, y), X, y)
    lda = lincore.LinearDiscriminantAnalysis().fit(X, y)
    with pytest.raises(DataError, match="unknown to the model"):
        model_log_likelihood(lda, X, y + 1)
    with pytest.raises(DataError, match="do not fit"):
        joint_log_likelihood(X, y, [[0.0], [1.0]], [[1.0]], [0.5, 0.5])
    with pytest.raises(DataError, match="do not fit"):
        joint_log_likelihood(X, y, lda.means_, np.eye(3), [0.5, 0.5])
    with pytest.raises(DataError, match="not positive definite"):
        gaussian_log_ratio(lda.means_, np.zeros((2, 2)), [0.5, 0.5], 1, 0)


def test_the_log_ratio_is_that_of_the_posteriors_and_half_of_the_texts_a(R):
    X, y = R
    model = lincore.QuadraticDiscriminantAnalysis().fit(X, y)
    found = log_ratio(model, 1, 0)
    np.testing.assert_allclose(found.values(X), model.decision_function(X), rtol=1e-8)
    inverse = np.linalg.inv(model.covariance_)
    np.testing.assert_allclose(found.A, (inverse[0] - inverse[1]) / 2, rtol=1e-8)
    np.testing.assert_allclose(found.A, [[3.131, -2.966], [-2.966, 1.907]], atol=6e-4)
    given = gaussian_log_ratio(model.means_, model.covariance_, model.priors_, 1, 0)
    np.testing.assert_allclose(given.A, found.A, rtol=1e-8)
    np.testing.assert_allclose(given.b, found.b, rtol=1e-8)
    assert given.c == pytest.approx(found.c, rel=1e-8)


def test_equal_priors_and_one_covariance_give_the_texts_line(R):
    lda = lincore.LinearDiscriminantAnalysis(priors="equal").fit(*R)
    found = log_ratio(lda, 1, 0)
    assert not found.A.any()
    np.testing.assert_allclose(found.b, [25.9972, -14.4338], atol=5e-5)
    assert found.c == pytest.approx(-72.7049, abs=5e-5)
