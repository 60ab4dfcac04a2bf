"""Logistic regression: the texts' IRLS, scikit-learn, and what must not matter."""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.optimize import linprog
from scipy.optimize._linesearch import LineSearchWarning
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression as ScikitLogistic

import lincore
from lincore import PCA, LogisticRegression
from lincore.estimators import SeparationKind, SeparationWarning
from lincore.linalg import Reason
from tests.data import DATA, needs_data
from tests.lincore.references_logistic import (
    hessian_by_loops,
    irls_by_the_text,
    newton_by_the_text,
)

EXACT = ("newton", "newton-cg")


def overlapping(seed=0, n=200, p=4, K=3, offset=0.0):
    """Correlated, badly scaled features; labels drawn from a softmax model, unequal classes."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.standard_normal((p, p)))[0]
    X = rng.standard_normal((n, p)) @ (turn * np.logspace(0, 1, p)) * np.logspace(-1, 2, p)
    scores = X / X.std(axis=0) @ rng.standard_normal((p, K)) + np.linspace(0, 1.5, K)
    y = (scores + rng.gumbel(size=(n, K))).argmax(axis=1)
    y[:K] = np.arange(K)
    return X + offset, y


def tight(C=np.inf, solver="newton-cg", **options):
    return LogisticRegression(C=C, solver=solver, tol=1e-13, **options)


def fit_quietly(model, X, y, **options):
    """Fit to a tolerance that rounding may not let it reach."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", LineSearchWarning)
        return model.fit(X, y, **options)


@pytest.mark.parametrize("solver", EXACT)
def test_two_classes_equal_the_texts_irls(solver):
    X, y = overlapping(K=2, n=80)
    Phi = np.column_stack([X / X.std(axis=0), np.ones(len(X))])
    model = tight(solver=solver).fit(Phi[:, :-1], y)
    expected = irls_by_the_text(Phi, y)
    assert_allclose(np.append(model.coef_[0], model.intercept_), expected, rtol=1e-8)


@pytest.mark.parametrize("solver", EXACT)
def test_three_classes_equal_newtons_method_by_loops(solver):
    X, y = overlapping(n=80)
    X = X / X.std(axis=0)
    model = tight(solver=solver).fit(X, y)
    expected = newton_by_the_text(np.column_stack([X, np.ones(len(X))]), y, 3, steps=12)
    ours = np.column_stack([model.coef_, model.intercept_]).T
    assert_allclose(ours - ours[:, :1], expected, rtol=1e-8)
    assert_allclose(ours.sum(axis=1), 0, atol=1e-10)  # the representation of least norm


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize(
    ("K", "C", "fit_intercept"), [(2, 1.0, True), (3, 0.01, False), (5, np.inf, True)]
)
def test_agrees_with_scikit_learn(solver, K, C, fit_intercept):
    X, y = overlapping(K=K, n=300)
    ours = fit_quietly(tight(C, solver, fit_intercept=fit_intercept), X, y)
    theirs = ScikitLogistic(
        C=C, solver="newton-cholesky", tol=1e-12, max_iter=500, fit_intercept=fit_intercept
    )
    fit_quietly(theirs, X, y)
    centre = theirs.coef_.mean(axis=0) if K > 2 else 0
    assert_allclose(ours.coef_, theirs.coef_ - centre, rtol=1e-8, atol=1e-11)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-7, atol=1e-14)
    assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("solver", ["fixed-hessian", "gradient", "sgd"])
@pytest.mark.parametrize("C", [1.0, np.inf])
def test_no_solver_estimates_something_else(solver, C):
    X, y = overlapping(K=2, p=2)
    tol = {"fixed-hessian": 1e-10, "gradient": 1e-8, "sgd": 1e-4}[solver]
    model = LogisticRegression(C=C, solver=solver, tol=tol, max_iter=20_000, batch_size=10)
    model.set_params(random_state=0).fit(X, y)
    exact = tight(C).fit(X, y)
    assert model.converged_ and model.reason_ is Reason.GRADIENT
    assert_allclose(model.predict_proba(X), exact.predict_proba(X), atol=100 * tol)


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize(("K", "C"), [(2, np.inf), (3, 1.0)])
def test_correlated_coefficients_have_eight_digits_at_the_default_tolerance(solver, K, C):
    X, y = overlapping(K=K, n=400)
    X[:, 1] = X[:, 0] + 1e-4 * X[:, 1]
    ours = LogisticRegression(C=C, solver=solver).fit(X, y)
    exact = fit_quietly(LogisticRegression(C=C, solver="newton", tol=1e-15), X, y)
    assert_allclose(ours.coef_, exact.coef_, rtol=1e-8, atol=1e-8 * np.abs(exact.coef_).max())
    assert ours.n_iter_ == len(ours.trace_) - 1
    short = fit_quietly(LogisticRegression(C=C, solver=solver, max_iter=ours.n_iter_ - 1), X, y)
    assert short.converged_ and short.n_iter_ <= ours.n_iter_ - 1


@pytest.mark.parametrize(("K", "reference"), [(3, None), (3, 2), (2, None)])
def test_wald_errors_are_those_of_the_inverse_hessian(K, reference):
    X, y = overlapping(K=K, n=150)
    X = X / X.std(axis=0)
    model = tight().fit(X, y)
    first = 0 if reference is None else reference
    order = [k for k in range(K) if k != first]
    W = np.column_stack([model.coef_, model.intercept_]).T
    W = W - W[:, [first]] if K > 2 else np.column_stack([0 * W, W])
    H = hessian_by_loops(np.column_stack([X, np.ones(len(X))]), W)[order][:, :, order]
    q = X.shape[1] + 1
    variance = np.diagonal(np.linalg.inv(H.reshape(len(order) * q, -1))).reshape(-1, q)
    table = model.wald(X, reference=reference, confidence=0.9)
    assert_array_equal(table.labels, order)
    assert table.reference == first and table.names[-1] == "intercept"
    assert_allclose(table.estimate, W[:, order].T, rtol=1e-7)
    assert_allclose(table.standard_error, np.sqrt(variance), rtol=1e-6)
    assert_allclose(table.z, table.estimate / table.standard_error)
    assert_allclose(table.p_value, 2 * stats.norm.sf(np.abs(table.z)), rtol=1e-9)
    half = stats.norm.ppf(0.95) * table.standard_error
    assert_allclose(table.interval, [table.estimate - half, table.estimate + half])
    assert_allclose(table.odds_ratio, np.exp(table.estimate))
    assert_allclose(table.odds_ratio_interval, np.exp(table.interval))
    by_rows = -np.log(model.predict_proba(X)[np.arange(len(y)), y]).sum()
    assert_allclose([model.log_loss_, -model.log_likelihood(X, y)], by_rows, rtol=1e-9)


def test_no_standard_errors_where_there_can_be_none():
    X, y = overlapping()
    X = X / X.std(axis=0)
    with pytest.raises(ValueError, match="Fit without a penalty"):
        LogisticRegression().fit(X, y).wald(X)
    wide = pd.DataFrame(np.column_stack([X, X[:, 0] + X[:, 1], np.full(len(X), 3.0)]))
    wide.columns = list("abcdef")
    with pytest.raises(ValueError, match="singular.*concerned: f"):
        tight().fit(wide, y).wald(wide)
    with pytest.raises(ValueError, match="singular.*concerned: a, b, e"):
        tight().fit(wide[list("abcde")], y).wald(wide[list("abcde")])
    with pytest.raises(ValueError, match="reference must be one of"):
        tight().fit(X, y).wald(X, reference=7)


@given(st.integers(0, 100), st.sampled_from([1.0, np.inf]), st.integers(2, 4))
@settings(max_examples=15)
def test_weights_are_replication(seed, C, K):
    X, y = overlapping(seed, K=K)
    weight = np.random.default_rng(seed).integers(1, 4, len(X))
    weighted = fit_quietly(tight(C), X, y, sample_weight=weight)
    copies, labels = np.repeat(X, weight, axis=0), np.repeat(y, weight)
    repeated = fit_quietly(tight(C), copies, labels)
    assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-6, atol=1e-9)
    assert_allclose(weighted.log_loss_, repeated.log_loss_, rtol=1e-9)
    if np.isinf(C):
        errors = weighted.wald(X, weight).standard_error if weighted.converged_ else None
        if errors is not None and repeated.converged_:
            assert_allclose(errors, repeated.wald(copies).standard_error, rtol=1e-6)


@given(st.integers(0, 100))
@settings(max_examples=15)
def test_invariant_under_row_order_and_without_penalty_under_affine_maps(seed):
    X, y = overlapping(seed, n=300)
    rng = np.random.default_rng(seed)
    plain = fit_quietly(tight(), X, y).predict_log_proba(X)
    order = rng.permutation(len(X))
    shuffled = fit_quietly(tight(), X[order], y[order]).predict_log_proba(X)
    assert_allclose(shuffled, plain, rtol=1e-7, atol=1e-7)
    mapped = X @ (rng.standard_normal((4, 4)) + 4 * np.eye(4)) + 1000
    assert_allclose(fit_quietly(tight(), mapped, y).predict_log_proba(mapped), plain, atol=1e-6)


@pytest.mark.parametrize("C", [1.0, np.inf])
@pytest.mark.parametrize("solver", EXACT)
def test_offsets_and_scales_in_one_table(C, solver):
    X, y = overlapping(p=5, n=400)
    X = np.round(X / X.std(axis=0) * 2**10) / 2**10
    plain = tight(np.inf, solver).fit(X, y)
    units = np.array([1e-8, 1e8, 1.0, 1e-4, 1e4])
    offset = np.array([0.0, 0.0, 1e6, 0.0, 1e6])
    model = fit_quietly(LogisticRegression(C=C, solver=solver, tol=1e-10), X * units + offset, y)
    assert np.isfinite(model.coef_).all()
    if np.isinf(C):
        assert_allclose(model.coef_ * units, plain.coef_, rtol=1e-6)
    else:
        # Units so small that the penalty forbids their use; units so large that it says nothing.
        assert np.abs(model.coef_ * units)[:, [0, 3]].max() < 1e-5
        rest = tight(1.0, solver).fit(X[:, [1, 2, 4]] * [1e4, 1, 1e4], y)
        expected = rest.coef_ * [1e4, 1, 1e4]
        assert_allclose((model.coef_ * units)[:, [1, 2, 4]], expected, rtol=1e-5)


@pytest.mark.parametrize("solver", [*EXACT, "fixed-hessian"])
def test_duplicated_and_constant_columns(solver):
    X, y = overlapping(n=150, p=2)
    X = X / X.std(axis=0)
    wide = np.column_stack([X, X[:, 0], np.full(len(X), 0.1)])
    tol = 1e-10 if solver in EXACT else 1e-7
    plain = LogisticRegression(C=np.inf, solver=solver, tol=tol, max_iter=9999).fit(X, y)
    model = LogisticRegression(C=np.inf, solver=solver, tol=tol, max_iter=9999).fit(wide, y)
    assert_allclose(model.predict_proba(wide), plain.predict_proba(X), atol=1e-5)
    assert_array_equal(model.coef_[:, 3], 0)
    assert_allclose(model.coef_[:, 0], model.coef_[:, 2], rtol=1e-8)  # least norm
    # ... which is the limit of a vanishing penalty.
    limit = LogisticRegression(C=1e6, tol=1e-12).fit(wide, y)
    assert_allclose(model.coef_, limit.coef_, rtol=1e-3, atol=1e-3)
    with_penalty = LogisticRegression(tol=1e-10, solver=solver, max_iter=9999).fit(wide, y)
    theirs = fit_quietly(ScikitLogistic(solver="newton-cholesky", tol=1e-10), wide, y)
    assert_allclose(with_penalty.coef_, theirs.coef_, atol=1e-5)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_more_features_than_rows_agree_with_scikit_learn(fit_intercept):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 100)) * np.logspace(-3, 3, 100) + 5, np.arange(30) % 3
    ours = tight(1.0, fit_intercept=fit_intercept)
    fit_quietly(ours, X, y)
    theirs = ScikitLogistic(tol=1e-12, solver="newton-cholesky")
    fit_quietly(theirs.set_params(fit_intercept=fit_intercept), X, y)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-5, atol=1e-6)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-4, atol=1e-8)


@pytest.mark.parametrize("solver", [*EXACT, "fixed-hessian", "gradient", "sgd"])
def test_one_row_in_each_class_and_one_hundred_classes(solver):
    few = fit_quietly(LogisticRegression(solver=solver), [[0.0, 1.0], [2.0, 3.0]], ["a", "b"])
    assert few.predict([[0.0, 1.0], [2.0, 3.0]]).tolist() == ["a", "b"]
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(100), 3)
    X = np.eye(100)[y][:, :10] + 0.01 * rng.standard_normal((300, 10))
    many = fit_quietly(LogisticRegression(solver=solver, max_iter=20, batch_size=10), X, y)
    assert np.isfinite(many.coef_).all() and np.isfinite(many.predict_proba(X)).all()


@pytest.mark.parametrize("solver", [*EXACT, "fixed-hessian", "gradient", "sgd"])
def test_separable_classes_are_named_and_the_result_is_finite(solver):
    X = pd.DataFrame({"noise": [3.0, 1.0, 4.0, 1.0, 5.0, 9.0], "age": [1, 2, 3, 11, 12, 13.0]})
    y = [0, 0, 0, 1, 1, 1]
    model = LogisticRegression(C=np.inf, solver=solver, max_iter=50)
    with pytest.warns(SeparationWarning, match="(?s)complete separation.*age.*finite C"):
        model.fit(X, y)
    assert not model.converged_ and model.separation_.kind is SeparationKind.COMPLETE
    assert np.isfinite(model.coef_).all() and model.score(X, y) == 1
    with pytest.raises(ValueError, match="can be separated"):
        model.wald(X)


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize("units", [1e-6, 1e6])
def test_quasi_complete_separation_is_found_by_the_linear_programme(solver, units):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 100)
    symptom = (np.arange(200) >= 170) * units
    X = np.column_stack([rng.standard_normal(200) + 0.3 * y, symptom])
    with pytest.warns(SeparationWarning, match="quasi-complete separation.*feature 1"):
        model = LogisticRegression(C=np.inf, solver=solver).fit(X, y)
    assert model.separation_.leading_features().tolist() == [1]
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize("seed", range(2))
def test_the_linear_programme_does_not_run_on_classes_that_overlap(seed, monkeypatch):
    monkeypatch.setattr("lincore.estimators.logistic.separation.linprog", None)
    for K in (2, 4):
        X, y = overlapping(seed, n=400, K=K)
        assert LogisticRegression(C=np.inf).fit(X, y).separation_ is None


def test_classes_are_seen_to_overlap_where_threads_sum_over_the_rows(monkeypatch):
    monkeypatch.setattr("lincore.utils.threads.WORTHWHILE", 1)
    X, y = overlapping(0, n=400, K=3)
    assert LogisticRegression(C=np.inf).fit(X, y).separation_ is None


@pytest.mark.parametrize("solver", ["newton", "newton-cg", "fixed-hessian", "gradient"])
def test_no_solver_runs_after_a_minimum_that_separated_classes_do_not_have(solver):
    rng = np.random.default_rng(0)
    y = np.arange(120) % 12
    X = 8 * rng.standard_normal((12, 10))[y] + rng.standard_normal((120, 10))
    with pytest.warns(SeparationWarning, match="complete separation"):
        model = LogisticRegression(C=np.inf, solver=solver).fit(X, y)
    assert model.reason_ is Reason.UNBOUNDED and not model.converged_
    assert model.separation_.kind is SeparationKind.COMPLETE and model.score(X, y) == 1
    # It stopped as soon as next to nothing of the loss was left.
    *before, last = (step.objective / len(y) for step in model.trace_)
    assert last <= 1e-3 < min(before)
    # A penalty has a minimum, however well the classes are separated.
    assert fit_quietly(LogisticRegression(C=1e6, solver="newton"), X, y).converged_


def test_a_fit_that_converged_needs_one_programme_to_know_quasi_complete_separation(monkeypatch):
    solved = []
    monkeypatch.setattr(
        "lincore.estimators.logistic.separation.linprog",
        lambda *args, **options: solved.append(1) or linprog(*args, **options),
    )
    rng = np.random.default_rng(0)
    y = np.arange(300) % 3
    X = rng.standard_normal((300, 4))
    X[:, 1] = (y == 0) & (rng.random(300) < 0.3)
    with pytest.warns(SeparationWarning, match="quasi-complete separation.*feature 1"):
        assert not LogisticRegression(C=np.inf).fit(X, y).converged_
    assert solved == [1]


def test_a_limit_of_iterations_is_no_convergence():
    X, y = overlapping()
    model = LogisticRegression(max_iter=2)
    with pytest.warns(ConvergenceWarning, match="iteration limit.*Allow more iterations"):
        model.fit(X, y)
    assert not model.converged_ and model.reason_ is Reason.ITERATIONS
    assert model.n_iter_ == 2 and len(model.trace_) == 3


def test_a_learning_rate_too_large_is_said_to_oscillate():
    X, y = overlapping(K=2)
    safe = LogisticRegression(solver="gradient").fit(X, y).trace_[1].step_length
    with pytest.warns(ConvergenceWarning, match="rising and falling.*Lower the learning rate"):
        model = LogisticRegression(solver="gradient", learning_rate=4 * safe).fit(X, y)
    assert model.reason_ is Reason.OSCILLATES
    assert np.isfinite(model.coef_).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"solver": "lbfgs"}, "solver must be one of"),
        ({"C": 0.0}, "C must be positive"),
        ({"tol": -1.0}, "tol must be positive"),
        ({"learning_rate": np.nan}, "learning_rate must be positive"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        LogisticRegression(**options).fit(*overlapping())


def test_sgd_halves_its_rate_instead_of_wandering():
    X, y = overlapping(K=2, p=2)
    options = {"learning_rate": 0.5, "batch_size": 1, "max_iter": 2000, "tol": 1e-3}
    model = LogisticRegression(solver="sgd", random_state=0, **options).fit(X, y)
    assert model.converged_ and model.trace_[-1].step_length < 0.5
    assert np.all(np.diff([step.objective for step in model.trace_]) <= 0)


def test_sgd_is_repeatable():
    X, y = overlapping()
    models = [LogisticRegression(solver="sgd", max_iter=5, random_state=seed) for seed in (1, 1, 2)]
    first, again, other = (fit_quietly(model, X, y).coef_ for model in models)
    assert_array_equal(first, again)
    assert np.any(first != other)


def test_a_fixed_learning_rate_finds_the_same_log_error():
    X, y = overlapping(p=2, n=300)
    newton = LogisticRegression(C=np.inf, solver="newton").fit(X, y)
    fixed = LogisticRegression(C=np.inf, solver="gradient", learning_rate=0.002).fit(X, y)
    assert_allclose(fixed.log_loss_, newton.log_loss_, rtol=1e-9)
    assert_allclose(newton.log_loss_, -newton.log_likelihood(X, y), rtol=1e-10)
    assert fixed.n_iter_ > 10 * newton.n_iter_


@pytest.mark.long
@needs_data
def test_the_faces_texts_learning_rate_finds_newtons_minimum_and_a_larger_one_oscillates():
    faces = lincore.load(DATA / "faces3_bmp30.zip")
    X = PCA(2, whiten=True).fit_transform(faces.X)
    newton = LogisticRegression(C=np.inf, solver="newton").fit(X, faces.y)
    fixed = LogisticRegression(C=np.inf, solver="gradient", learning_rate=0.002).fit(X, faces.y)
    assert fixed.converged_ and fixed.n_iter_ > 30 * newton.n_iter_
    assert_allclose(fixed.log_loss_, newton.log_loss_, rtol=1e-8)
    with pytest.warns(ConvergenceWarning, match="rising and falling"):
        LogisticRegression(C=np.inf, solver="gradient", learning_rate=0.01).fit(X, faces.y)


@pytest.mark.long
@needs_data
def test_accuracy_on_images_after_pca():
    with np.load(DATA / "mnist.npz") as arrays:
        train, test = (arrays[f"X_{part}"].reshape(-1, 784) for part in ("train", "test"))
        pca = PCA(50).fit(train)
        X = pca.transform(train) / 255
        model = LogisticRegression(tol=1e-5).fit(X, arrays["y_train"])
        accuracy = model.score(pca.transform(test) / 255, arrays["y_test"])
    assert model.converged_ and 0.911 <= accuracy <= 0.913


@pytest.mark.long
@needs_data
def test_pixels_in_uint8_are_never_copied_as_a_whole():
    with np.load(DATA / "mnist.npz") as arrays:
        X, y = arrays["X_train"].reshape(-1, 784)[:20_000], arrays["y_train"][:20_000]
    X = np.tile(X, (3, 1))
    tracemalloc.start()
    fit_quietly(LogisticRegression(max_iter=1), X, np.tile(y, 3))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 3 * X.nbytes  # in float64 a copy alone would be 8


@pytest.mark.parametrize(
    ("unit", "message", "C"),
    [(1e160, "overflow", 1.0), (1e160, "overflow", np.inf), (1e-150, "underflows", np.inf)],
)
def test_features_whose_squares_overflow_or_vanish_are_refused(unit, message, C):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = (rng.standard_normal((60, 3)) + y[:, None]) * unit
    with pytest.raises(ValueError, match=message):
        LogisticRegression(C=C).fit(X, y)
