"""LDA on selected features: LDA of these alone, in every use; nothing selected; the doors."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import DiagonalLinearDiscriminantAnalysis, LinearDiscriminantAnalysis
from lincore.export import load_model, save_model
from lincore.moments import Moments


def drawn(seed=0, n=200, p=8):
    """Three unequal classes that differ in three of the correlated features."""
    rng = np.random.default_rng(seed)
    codes = rng.choice(3, n, p=[0.6, 0.3, 0.1])
    X = rng.standard_normal((n, p)) @ (np.eye(p) + 0.3)
    X[:, 1] += codes
    X[:, 4] -= 1.5 * (codes == 2)
    X[:, 6] += codes == 1
    return X * np.geomspace(1e-3, 1e3, p) + 5, codes


@pytest.mark.parametrize("options", [{}, {"divisor": "n-k"}, {"priors": "equal"}])
def test_it_is_lda_of_the_selected_features(options):
    X, codes = drawn()
    model = LinearDiscriminantAnalysis(selection="stepwise", **options).fit(X, codes)
    chosen = model.selected_
    assert {1, 4, 6} <= set(np.flatnonzero(chosen)) and chosen.sum() < X.shape[1]
    alone = LinearDiscriminantAnalysis(**options).fit(X[:, chosen], codes)
    assert model.predict_log_proba(X) == pytest.approx(alone.predict_log_proba(X[:, chosen]))
    assert model.coef_[:, chosen] == pytest.approx(alone.coef_)
    assert (model.coef_[:, ~chosen] == 0).all() and (model.scalings_[~chosen] == 0).all()
    assert model.transform(X) == pytest.approx(alone.transform(X[:, chosen]))
    assert model.explained_variance_ratio_ == pytest.approx(alone.explained_variance_ratio_)
    means = [X[codes == k].mean(axis=0) for k in range(3)]
    assert model.means_ == pytest.approx(np.array(means))


def test_rows_batches_and_moments_select_alike():
    X, codes = drawn(1)
    model = LinearDiscriminantAnalysis(selection="stepwise")
    whole = model.fit(X, codes)
    coef, steps = whole.coef_, whole.selection_steps_
    assert {s.feature for s in steps if s.enters} >= set(np.flatnonzero(whole.selected_))
    batches = LinearDiscriminantAnalysis(selection="stepwise")
    batches.partial_fit(X[:90], codes[:90], classes=[0, 1, 2]).partial_fit(X[90:], codes[90:])
    moments = Moments.from_groups(X, codes, 3)
    for other in (batches, LinearDiscriminantAnalysis(selection="stepwise").fit_moments(
        moments, [0, 1, 2])):  # fmt: skip
        assert (other.selected_ == whole.selected_).all() and other.coef_ == pytest.approx(coef)


def test_given_positions_and_shrinkage():
    X, codes = drawn(2)
    given = LinearDiscriminantAnalysis(selection=[4, 1]).fit(X, codes)
    alone = LinearDiscriminantAnalysis().fit(X[:, [1, 4]], codes)
    assert given.coef_[:, [1, 4]] == pytest.approx(alone.coef_)
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    shrunk = LinearDiscriminantAnalysis(selection=[4, 1], shrinkage=0.3).fit(Z, codes)
    full = LinearDiscriminantAnalysis(shrinkage=0.3).fit(Z, codes).covariance_[[1, 4]][:, [1, 4]]
    means = np.array([Z[codes == k][:, [1, 4]].mean(axis=0) for k in range(3)])
    slopes = np.linalg.solve(full, (means - shrunk.priors_ @ means).T).T
    assert shrunk.coef_[:, [1, 4]] == pytest.approx(slopes)


def test_more_features_than_rows():
    rng = np.random.default_rng(3)
    X, codes = rng.standard_normal((30, 80)), np.arange(30) % 2
    X[:, 11] += 5 * codes
    model = LinearDiscriminantAnalysis(selection="stepwise").fit(X, codes)
    alone = LinearDiscriminantAnalysis().fit(X[:, model.selected_], codes)
    assert model.selected_[11]
    scores = alone.decision_function(X[:, model.selected_])
    assert model.decision_function(X) == pytest.approx(scores)


def test_no_feature_selected_leaves_the_priors():
    X, codes = np.tile([[0.0], [1.0], [2.0]], (4, 1)), np.repeat([0, 1], [9, 3])
    with pytest.warns(UserWarning, match="chose no feature"):
        model = LinearDiscriminantAnalysis(selection="stepwise").fit(X, codes)
    assert (model.coef_ == 0).all()
    assert model.predict_proba(X) == pytest.approx(np.tile([0.75, 0.25], (12, 1)))


def test_bad_selections_are_refused():
    X, codes = drawn()
    for bad, message in (("forward", "'stepwise' or positions"), ([8], "from 0 to 7"), (
        [0.5], "positions")):  # fmt: skip
        with pytest.raises(ValueError, match=message):
            LinearDiscriminantAnalysis(selection=bad).fit(X, codes)
    with pytest.raises(ValueError, match="Diagonal LDA has no selection"):
        DiagonalLinearDiscriminantAnalysis(selection="stepwise").fit(X, codes)


def test_exports_and_displays_agree_with_the_model():
    data = lincore.sample("wine")
    fitted = lincore.fit(data, "lda(selection=stepwise)")
    saved = load_model(save_model(fitted.fitted_model)).model
    assert (saved.predict(data) == fitted.fitted_model.predict(data)).all()
    for shown in (fitted.learned(), fitted.coefficients(), fitted.plane(), fitted.steps()):
        assert str(shown)
    assert not fitted.canonical().has_functions
