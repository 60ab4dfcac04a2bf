"""Firth's penalty and King and Zeng's correction: published numbers, brute force, invariances."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import optimize, stats

import lincore
from lincore import LogisticRegression, metrics

#: Heinze and Schemper (2002), 79 cases of endometrial cancer: NV, PI, EH and HG of each. All 13
#: with NV = 1 have HG = 1.
ENDOMETRIAL = """
0,13,1.64,0 0,16,2.26,0 0,8,3.14,0 0,34,2.68,0 0,20,1.28,0 0,5,2.31,0 0,17,1.8,0 0,10,1.68,0
0,26,1.56,0 0,17,2.31,0 0,8,2.01,0 0,7,1.89,0 0,20,3.15,0 0,10,1.23,0 0,18,1.27,0 0,16,1.76,0
0,18,2,0 0,8,2.64,1 0,29,0.88,1 0,12,1.27,1 0,20,1.37,1 1,38,0.97,1 1,22,1.14,1 1,7,0.88,1
1,25,0.91,1 1,15,0.58,1 0,7,0.97,1 0,28,1.5,0 0,11,1.33,0 0,19,2.37,0 0,10,1.82,0 0,10,3.13,0
0,18,1.31,0 0,14,1.92,0 0,21,1.64,0 0,11,2.01,0 0,17,1.88,0 0,25,1.93,0 0,16,2.11,0 0,19,1.29,0
0,15,1.72,0 0,33,0.75,0 0,24,1.92,0 0,48,1.84,1 0,12,1.11,1 0,19,1.61,1 0,2,1.18,1 1,22,1.44,1
1,40,1.18,1 1,5,0.93,1 1,0,1.17,1 0,21,1.19,1 0,15,1.06,1 0,29,2.02,0 0,15,2.29,0 0,12,2.33,0
0,3,2.9,0 0,20,1.7,0 0,23,1.41,0 0,12,2.25,0 0,22,1.54,0 0,42,1.97,0 0,15,1.75,0 0,13,2.16,0
0,14,2.57,0 0,19,1.37,0 0,12,3.61,0 0,13,2.04,0 0,10,2.17,0 0,12,1.69,1 1,49,0.27,1 0,6,1.84,1
0,5,1.3,1 0,17,0.96,1 1,11,1.01,1 1,21,0.98,1 0,5,0.35,1 1,19,1.02,1 0,33,0.85,1
"""
ROWS = np.array([line.split(",") for line in ENDOMETRIAL.split()], dtype=float)
X, Y = ROWS[:, :3], ROWS[:, 3].astype(int)
#: As R's logistf prints them, the intercept last.
COEF = [2.92927330, -0.03475175, -2.60416387, 3.77455951]
LOW = [0.6097244, -0.1244587, -4.3651832, 1.0825371]
HIGH = [7.85463171, 0.04045547, -1.23272106, 7.20928050]


@pytest.fixture(scope="module")
def endometrial():
    return LogisticRegression(bias_reduction="firth").fit(X, Y)


def test_few_rows_of_three_classes_take_few_steps():
    # By Fisher scoring alone they take 146, more than the limit.
    rng = np.random.RandomState(0)
    rows, codes = rng.normal(size=(15, 4)), rng.permutation(np.repeat(np.arange(3), 5))
    model = LogisticRegression(bias_reduction="firth").fit(rows, codes)
    assert model.converged_ and model.n_iter_ < 30


def test_separated_classes_have_the_published_estimate(endometrial):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert LogisticRegression(C=np.inf).fit(X, Y).separation_ is not None
    assert endometrial.converged_ and endometrial.separation_ is None
    found = [*endometrial.coef_[0], endometrial.intercept_[0]]
    assert found == pytest.approx(COEF, abs=1e-6)


def test_profile_intervals_are_the_published_ones(endometrial):
    found = endometrial.profile(X, Y)
    low, high = found.interval
    assert low[0] == pytest.approx(LOW, abs=1e-6)
    assert high[0] == pytest.approx(HIGH, abs=1e-6)
    # A penalised likelihood ratio test at the end of an interval would have p = 0.05.
    assert ((found.p_value < 0.05) == ((low > 0) | (high < 0))).all()
    assert found.standard_error == pytest.approx(endometrial.wald(X).standard_error)


def penalised(theta, X, codes, n_classes, fixed=None):
    """Return the negative log likelihood less Jeffreys' prior, with the information from loops."""
    W = np.zeros((X.shape[1] + 1, n_classes))
    W[:, 1:] = theta.reshape(n_classes - 1, -1).T
    Z = np.column_stack([X, np.ones(len(X))])
    scores = Z @ W
    P = np.exp(scores - scores.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    information = sum(
        np.kron(np.diag(p[1:]) - np.outer(p[1:], p[1:]), np.outer(z, z))
        for p, z in zip(P, Z, strict=True)
    )
    own = P[np.arange(len(codes)), codes]
    return -np.log(own).sum() - 0.5 * np.linalg.slogdet(information)[1]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_maximises_the_penalised_likelihood(n_classes):
    rng = np.random.default_rng(3)
    rows, codes = rng.standard_normal((40, 2)), np.arange(40) % n_classes
    rows[codes == 1, 0] += 5  # separated
    model = LogisticRegression(bias_reduction="firth").fit(rows, codes)
    full = np.column_stack([model.coef_, model.intercept_])
    theta = (full[1:] - full[0]) if n_classes > 2 else full
    least = optimize.minimize(
        penalised, 0.9 * theta.ravel(), (rows, codes, n_classes), method="BFGS",
        options={"gtol": 1e-7},
    )  # fmt: skip
    assert theta.ravel() == pytest.approx(least.x, abs=1e-4)
    assert penalised(theta.ravel(), rows, codes, n_classes) <= least.fun + 1e-9


def test_the_test_of_a_coefficient_is_that_of_the_likelihood_ratio():
    rng = np.random.default_rng(4)
    rows = rng.standard_normal((50, 2))
    codes = (rng.uniform(size=50) < 0.3).astype(int)
    model = LogisticRegression(bias_reduction="firth").fit(rows, codes)
    theta = np.append(model.coef_, model.intercept_)
    without = optimize.minimize(
        lambda rest: penalised(np.insert(rest, 0, 0.0), rows, codes, 2), theta[1:],
        method="BFGS", options={"gtol": 1e-8},
    )  # fmt: skip
    ratio = 2 * (without.fun - penalised(theta, rows, codes, 2))
    assert model.profile(rows, codes).p_value[0, 0] == pytest.approx(
        stats.chi2.sf(ratio, 1), abs=1e-6
    )


def test_it_follows_the_units_of_the_features(endometrial):
    A = np.array([[2.0, 0.3, 0.0], [0.0, 50.0, 0.1], [0.5, 0.0, 0.01]])
    other = LogisticRegression(bias_reduction="firth").fit(X @ A + 1e4, Y)
    assert A @ other.coef_[0] == pytest.approx(endometrial.coef_[0], rel=1e-5)
    # A weight is a copy in the likelihood and in the information.
    weight = np.arange(79) % 3 + 1
    copied = LogisticRegression(bias_reduction="firth").fit(
        np.repeat(X, weight, axis=0), np.repeat(Y, weight)
    )
    weighted = LogisticRegression(bias_reduction="firth").fit(X, Y, weight)
    assert weighted.coef_ == pytest.approx(copied.coef_, rel=1e-6)


def test_king_and_zengs_correction_is_their_formula():
    rng = np.random.default_rng(5)
    rows = rng.standard_normal((300, 2))
    codes = (rng.uniform(size=300) < 1 / (1 + np.exp(3 - rows[:, 0]))).astype(int)
    plain = LogisticRegression(C=np.inf).fit(rows, codes)
    found = LogisticRegression(bias_reduction="king-zeng").fit(rows, codes)
    Z, p = np.column_stack([rows, np.ones(300)]), plain.predict_proba(rows)[:, 1]
    W = p * (1 - p)
    V = np.linalg.inv(Z.T @ (W[:, None] * Z))
    xi = 0.5 * np.einsum("ij,jk,ik->i", Z, V, Z) * (2 * p - 1)
    bias = V @ Z.T @ (W * xi)
    before, after = (np.append(m.coef_, m.intercept_) for m in (plain, found))
    assert after == pytest.approx(before - bias, abs=1e-6)
    assert found.predict_proba(rows)[:, 1].mean() > p.mean(), "a rare class is underestimated"
    firth = LogisticRegression(bias_reduction="firth").fit(rows, codes)
    assert np.append(firth.coef_, firth.intercept_) == pytest.approx(after, abs=0.02)


def test_king_and_zengs_prior_correction_is_that_of_other_priors():
    rng = np.random.default_rng(6)
    rows = rng.standard_normal((400, 2))
    codes = (rng.uniform(size=400) < 1 / (1 + np.exp(-rows[:, 0]))).astype(int)
    model, tau = LogisticRegression(C=np.inf).fit(rows, codes), 0.02
    share = codes.mean()
    # Their eq. 7, with tau the share of the class in the population.
    intercept = model.intercept_ - np.log((1 - tau) / tau * share / (1 - share))
    expected = 1 / (1 + np.exp(-(rows @ model.coef_[0] + intercept)))
    found = metrics.adjust_posteriors(
        model.predict_log_proba(rows), [1 - share, share], [1 - tau, tau]
    )
    assert np.exp(found)[:, 1] == pytest.approx(expected)


def test_what_is_not_possible_is_refused():
    with pytest.raises(ValueError, match="must be None"):
        LogisticRegression(bias_reduction="jeffreys").fit(X, Y)
    with pytest.raises(ValueError, match="Firth's penalised likelihood"):
        LogisticRegression(C=np.inf).fit(X[:, 1:], Y).profile(X[:, 1:], Y)
    with pytest.warns(lincore.estimators.SeparationWarning, match="bias_reduction='firth'"):
        model = LogisticRegression(bias_reduction="king-zeng").fit(X, Y)
    assert not model.converged_
    assert not hasattr(LogisticRegression(bias_reduction="firth"), "fit_blocks")


def test_odds_ratios_have_profile_intervals():
    data = lincore.data.Dataset(
        "endometrial", X, Y, np.array(["low", "high"]), ("NV", "PI", "EH"), target_name="grade"
    )
    split = lincore.data.Split(np.arange(79), np.arange(79))
    model = lincore.fit(data, "logistic(bias_reduction=firth)", split)
    shown = model.odds_ratios()
    lines = shown.frame().set_index("feature")
    assert lines["coefficient"]["NV"] == pytest.approx(COEF[0], abs=1e-6)
    assert lines["95 % interval"]["NV"] == "0.61 to 7.85"
    assert "profile of the penalised likelihood" in shown.notes()[0]
    assert not model.convergence().can_compare
    with pytest.warns(lincore.estimators.SeparationWarning):
        free = lincore.fit(data, "logistic(C=inf)", split)
    assert "Firth's penalty" in lincore.report.termination_reason(free.classifier).remedy
    assert "Firth's penalty" in free.odds_ratios().finding()
