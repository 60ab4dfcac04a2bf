"""L1 and elastic-net penalties: scikit-learn's saga, optimality, paths, choices by folds."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as ScikitLogistic
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.preprocessing import StandardScaler

import lincore
from lincore import LogisticRegression
from lincore.data import Dataset
from lincore.model_selection import as_method


def some(n=120, p=8, n_classes=3, seed=0):
    """Return unbalanced classes that depend on half of the features, which are correlated."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)) + rng.normal(size=(n, 1))
    scores = X[:, : p // 2] @ rng.normal(size=(p // 2, n_classes)) + np.arange(n_classes)
    return X, (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)


def objective(X, y, model, weight=None):
    """Return what scikit-learn documents that it minimises."""
    scores = X @ model.coef_.T + model.intercept_
    if scores.shape[1] == 1:
        scores = np.hstack([np.zeros_like(scores), scores])
    own = scores[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    losses = np.logaddexp.reduce(scores, axis=1) - own
    summed = losses.sum() if weight is None else losses @ weight
    ridge = 0.5 * (model.coef_**2).sum()
    l1 = np.abs(model.coef_).sum()
    return model.C * summed + model.l1_ratio * l1 + (1 - model.l1_ratio) * ridge


def saga(model, X, y, weight=None):
    shared = ("C", "l1_ratio", "fit_intercept", "class_weight")
    options = {name: getattr(model, name) for name in shared}
    reference = ScikitLogistic(**options, solver="saga", tol=1e-10, max_iter=100_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return reference.fit(X, y, sample_weight=weight)


def data_set(X, codes, **more):
    names = tuple(f"x{i}" for i in range(X.shape[1]))
    classes = np.array([f"class {k}" for k in np.unique(codes)])
    return Dataset("made", X, codes, classes, names, **more)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
@pytest.mark.parametrize("l1_ratio", [1, 0.5, 0.05])
@pytest.mark.parametrize("C", [0.05, 1.0])
def test_the_objective_is_that_of_saga(n_classes, l1_ratio, C):
    X, y = some(n_classes=n_classes)
    model = LogisticRegression(C=C, l1_ratio=l1_ratio).fit(X, y)
    reference = saga(model, X, y)
    assert model.converged_
    assert abs(objective(X, y, model) - objective(X, y, reference)) < 1e-6
    # The minimum of an even number of classes is unique for a strictly convex penalty only.
    if n_classes != 4 or l1_ratio < 1:
        assert_allclose(model.coef_, reference.coef_, atol=1e-4)
    assert_allclose(model.predict_proba(X), reference.predict_proba(X), atol=1e-4)


@pytest.mark.parametrize("options", [{"fit_intercept": False}, {"class_weight": "balanced"}])
def test_weights_and_a_missing_intercept_are_those_of_saga(options):
    X, y = some()
    weight = np.random.default_rng(1).uniform(0.2, 3, size=len(y))
    model = LogisticRegression(C=0.3, l1_ratio=0.7, **options).fit(X, y, sample_weight=weight)
    assert_allclose(model.coef_, saga(model, X, y, weight).coef_, atol=1e-5)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_minimum_is_optimal_by_its_subgradient_with_more_features_than_rows(n_classes):
    X, y = some(n=40, p=150, n_classes=n_classes)
    model = LogisticRegression(C=2.0, l1_ratio=1).fit(X, y)
    targets = np.eye(n_classes)[y]
    gradient = (X.T @ (model.predict_proba(X) - targets)).T
    gradient = gradient[1:] if n_classes == 2 else gradient
    used = model.coef_ != 0
    assert 0 < used.sum() < 40 * n_classes
    assert_allclose(gradient[used], -np.sign(model.coef_[used]) / 2.0, atol=1e-5)
    assert np.abs(gradient[~used]).max() <= 0.5 + 1e-5
    assert_allclose(targets.sum(axis=0), model.predict_proba(X).sum(axis=0), atol=1e-5)


def test_repeated_and_nearly_collinear_features_cost_no_accuracy():
    X, y = some(p=4)
    rng = np.random.default_rng(2)
    near = X + 1e-4 * rng.normal(size=X.shape)
    alone = LogisticRegression(C=5, l1_ratio=1).fit(X, y)
    repeated = LogisticRegression(C=5, l1_ratio=1).fit(np.hstack([X, X, near]), y)
    assert repeated.converged_
    wide = objective(np.hstack([X, X, near]), y, repeated)
    assert wide <= objective(X, y, alone) + 1e-7
    # A ridge part spreads the coefficient evenly over copies.
    net = LogisticRegression(C=5, l1_ratio=0.5).fit(np.hstack([X, X]), y)
    assert_allclose(net.coef_[:, :4], net.coef_[:, 4:], atol=1e-6)


def test_sparse_rows_have_the_model_of_dense_ones():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.3, size=(200, 30)).astype(float)
    y = (X[:, 0] + X[:, 1] - X[:, 2] + rng.normal(size=200) > 0.3).astype(int)
    dense = LogisticRegression(C=0.5, l1_ratio=1).fit(X, y)
    sparse = LogisticRegression(C=0.5, l1_ratio=1).fit(sp.csr_array(X), y)
    assert 0 < np.count_nonzero(dense.coef_) < 30
    assert_allclose(sparse.coef_, dense.coef_, atol=1e-7)


def test_a_row_of_weight_two_counts_as_two_rows():
    X, y = some()
    weight = 1.0 + (np.arange(len(y)) % 2)
    twice = np.repeat(np.arange(len(y)), weight.astype(int))
    model = LogisticRegression(C=0.5, l1_ratio=1)
    weighted = clone(model).fit(X, y, sample_weight=weight)
    assert_allclose(weighted.coef_, model.fit(X[twice], y[twice]).coef_, atol=1e-6)


def test_offsets_and_constant_features_change_nothing():
    X, y = some()
    plain = LogisticRegression(C=0.5, l1_ratio=1).fit(X, y)
    moved = np.hstack([X + 1e6, np.full((len(y), 1), 3.0)])
    found = LogisticRegression(C=0.5, l1_ratio=1).fit(moved, y)
    assert_allclose(found.coef_[:, :-1], plain.coef_, atol=1e-6)
    assert (found.coef_[:, -1] == 0).all()


def test_without_a_penalty_it_is_maximum_likelihood():
    X, y = some()
    model = LogisticRegression(C=np.inf, l1_ratio=1).fit(X, y)
    assert_allclose(model.coef_, LogisticRegression(C=np.inf).fit(X, y).coef_, atol=1e-9)
    assert model.wald(X).standard_error.min() > 0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_path_begins_where_all_coefficients_are_zero(n_classes):
    X, y = some(n_classes=n_classes)
    path = LogisticRegression(l1_ratio=0.8).fit_path(X, y)
    assert not path[0].coef_.any() and path[1].coef_.any()
    shares = np.bincount(y) / len(y)
    assert_allclose(path[0].predict_proba(X[:1])[0], shares, atol=1e-8)
    numbers = [np.count_nonzero(model.coef_) for model in path]
    assert numbers[-1] > numbers[5] > 0
    for model in path[5::10]:
        alone = LogisticRegression(C=model.C, l1_ratio=0.8).fit(X, y)
        assert_allclose(model.coef_, alone.coef_, atol=1e-6)


def test_a_path_ends_where_nothing_is_left_to_fit():
    X, y = some(n_classes=2)
    separable = np.hstack([X, 10.0 * y[:, None]])
    path = LogisticRegression(l1_ratio=1).fit_path(separable, y)
    first = -len(y) * sum(share * np.log(share) for share in np.bincount(y) / len(y))
    assert path[-1].log_loss_ < 1e-3 * first < path[-2].log_loss_
    assert len(path) < len(LogisticRegression(l1_ratio=1).fit_path(X, y)) == 40


@pytest.mark.parametrize("l1_ratio", [-0.1, 1.5])
def test_ratios_beyond_0_and_1_are_refused(l1_ratio):
    with pytest.raises(ValueError, match="l1_ratio must be from 0 to 1"):
        LogisticRegression(l1_ratio=l1_ratio).fit([[0.0], [1.0]], [0, 1])


def test_there_is_no_path_of_a_ridge_and_there_are_no_errors_after_a_selection():
    X, y = some()
    with pytest.raises(ValueError, match="l1_ratio above 0"):
        LogisticRegression().fit_path(X, y)
    with pytest.raises(ValueError, match="selected with the same rows"):
        LogisticRegression(l1_ratio=1).fit(X, y).wald(X)


def test_C_is_chosen_as_by_scikit_learns_grid_search():
    X, y = some(n=150, p=6, n_classes=2)
    data = data_set(X, y)
    model = lincore.fit(data, "logistic(l1_ratio=1, C=cv)")
    # While all coefficients are zero, saga ends before its intercept is right.
    tuning = model.tuning().frame().iloc[2:20]
    train = StandardScaler().fit_transform(X[model.split.train])
    search = GridSearchCV(
        ScikitLogistic(l1_ratio=1, solver="saga", tol=1e-10, max_iter=100_000),
        {"C": tuning["C"].tolist()},
        scoring="neg_log_loss",
        cv=StratifiedKFold(5, shuffle=True, random_state=0),
    ).fit(train, y[model.split.train])
    assert_allclose(tuning["log loss"], -search.cv_results_["mean_test_score"], atol=1e-6)
    assert_allclose(model.classifier.C, search.best_params_["C"])
    simple = lincore.fit(data, "logistic(l1_ratio=1, C=cv-1se)", model.split)
    assert simple.classifier.C < model.classifier.C
    options = as_method(simple.classifier).options
    assert options["C"] == "cv-1se" and options["l1_ratio"] == 1


def test_the_display_of_a_path_has_its_coefficients_and_marks():
    X, y = some(n=150)
    model = lincore.fit(data_set(X, y), "logistic(l1_ratio=1, C=cv-1se)")
    shown = model.coefficient_path(line=1)
    path = shown.path
    # The features are standardised, so that coefficients are those of the classifier.
    assert_allclose(path.values[path.position], model.classifier.coef_, rtol=1e-9)
    frame = shown.frame()
    own = frame[frame["C"] == model.classifier.C]
    assert len(own) == np.count_nonzero(model.classifier.coef_)
    used = np.count_nonzero(model.classifier.coef_.any(axis=0))
    assert (
        shown.finding() == f"The model with C = {model.classifier.C:.3g} uses {used} of 8 features."
    )
    best = lincore.fit(model.data, "logistic(l1_ratio=1, C=cv)", model.split).classifier.C
    assert shown.marks == {"one standard error": model.classifier.C, "best": best}
    table = shown.table()
    assert table["enters at C"].astype(float).is_monotonic_increasing
    names = [f"x{j}" for j in np.flatnonzero(model.classifier.coef_[1])]
    assert set(names) == set(table["feature"][table["per SD"] != 0])
    drawn = [part["name"] for part in shown.plot().to_dict()["data"]]
    assert any(name.startswith("one standard error: C = ") for name in drawn)
    assert "no standard errors" in " ".join(shown.notes())


def test_no_display_shows_errors_after_a_selection():
    X, y = some(n_classes=2)
    model = lincore.fit(data_set(X, y), "logistic(l1_ratio=0.5, C=0.2)")
    assert not model.odds_ratios().is_asked_for and model.odds_ratios().frame().empty
    coefficients = model.coefficients()
    assert set(coefficients.table()["standard error"]) == {"penalised"}
    assert "chooses the features by the same rows" in " ".join(coefficients.notes())
    assert not model.convergence().can_compare
    ridge = lincore.fit(model.data, "logistic", model.split).coefficient_path()
    assert "no path" in ridge.finding()
    assert ridge.plot() is None and ridge.frame().empty and ridge.table().empty
