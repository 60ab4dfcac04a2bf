"""Many logistic regressions at once are what each is by itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression as ScikitLogistic

import lincore
from lincore import LogisticRegression
from lincore.estimators.logistic import batched
from lincore.estimators.logistic._batched_newton import solve_stack
from lincore.estimators.logistic.batched import has_one_minimum
from lincore.imbalance.class_size_sweep import sweep
from lincore.imbalance.trials import Plan, outcomes
from lincore.model_selection import engine
from lincore.model_selection.methods import as_method
from lincore.model_selection.pipeline import Steps


def sample(rng, n, p, n_classes, offset, scale):
    codes = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=n - n_classes)])
    means = rng.normal(size=(n_classes, p))
    units = scale ** rng.uniform(-1, 1, p)
    return (rng.normal(size=(n, p)) + means[codes]) * units + offset, codes


@given(
    st.integers(0, 2**31),
    st.integers(2, 4),
    st.integers(1, 5),
    st.sampled_from([0.0, -1e3]),
    st.sampled_from([1.0, 30.0]),
    st.sampled_from([0.01, 1.0, 100.0]),
    st.booleans(),
    st.sampled_from(["newton-cg", "newton"]),
)
@settings(deadline=None, max_examples=40)
def test_a_stack_is_what_each_is_by_itself(seed, n_classes, p, offset, scale, C, intercept, solver):
    rng = np.random.default_rng(seed)
    sizes = [n_classes + 1, *rng.integers(n_classes + 1, 60, 3)]  # one of few rows for its features
    rows, codes = zip(*(sample(rng, n, p, n_classes, offset, scale) for n in sizes), strict=True)
    weights = [None if b % 2 else rng.uniform(0.2, 5, len(rows[b])) for b in range(4)]
    strength = (2 if n_classes == 2 else 1) / C
    options = {"strength": strength, "tol": 1e-8, "intercept": intercept}
    solved = solve_stack(rows, codes, weights, n_classes, **options)
    assert solved.converged.all()
    for b, (X, y, weight) in enumerate(zip(rows, codes, weights, strict=True)):
        alone = LogisticRegression(C=C, solver=solver, fit_intercept=intercept)
        alone.fit(X, y, weight)
        scores = X @ solved.coef[b].T + solved.intercept[b]
        log_proba = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        assert_allclose(log_proba, alone.predict_log_proba(X), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("intercept", [True, False])
def test_a_stack_agrees_with_scikit_learn(intercept):
    rng = np.random.default_rng(3)
    X, y = sample(rng, 80, 3, 3, 0.0, 1.0)
    options = {"strength": 0.5, "tol": 1e-10, "intercept": intercept}
    solved = solve_stack([X], [y], [None], 3, **options)
    theirs = ScikitLogistic(C=2.0, tol=1e-12, solver="newton-cholesky", fit_intercept=intercept)
    theirs.fit(X, y)
    assert_allclose(solved.coef[0], theirs.coef_, atol=1e-8)
    assert_allclose(
        np.diff(solved.intercept[0]), np.diff(theirs.intercept_ + np.zeros(3)), atol=1e-8
    )


@given(
    st.integers(0, 2**31),
    st.integers(2, 4),
    st.integers(1, 4),
    st.floats(0.3, 4.0),
    st.booleans(),
    st.sampled_from(["newton-cg", "newton"]),
)
@settings(deadline=None, max_examples=40)
def test_without_a_penalty_a_stack_is_what_each_is_by_itself_or_leaves_it_alone(
    seed, n_classes, p, spread, intercept, solver
):
    rng = np.random.default_rng(seed)
    every = []
    for weighted in (False, True):
        codes = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=60)])
        X = rng.normal(size=(len(codes), p)) + spread * rng.normal(size=(n_classes, p))[codes]
        weight = rng.uniform(0.2, 5, len(X)) if weighted else None
        every.append((X * 10.0 ** rng.integers(-2, 3, p), codes, weight))
    options = {"strength": 0.0, "tol": 1e-8, "intercept": intercept}
    solved = solve_stack(*zip(*every, strict=True), n_classes, **options)
    for b in np.flatnonzero(solved.converged):
        X, y, weight = every[b]
        alone = LogisticRegression(C=np.inf, solver=solver, fit_intercept=intercept)
        alone.fit(X, y, weight)  # any warning is an error
        assert alone.converged_ and alone.separation_ is None
        scores = X @ solved.coef[b].T + solved.intercept[b]
        log_proba = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        assert_allclose(log_proba, alone.predict_log_proba(X), atol=1e-6)


def test_without_a_penalty_only_one_minimum_is_believed():
    rng = np.random.default_rng(0)
    X, y = sample(rng, 60, 2, 2, 0.0, 1.0)
    apart = np.column_stack([X[:, 0], y + 0.1 * X[:, 1]])
    nearly = np.column_stack([X[:, 0], np.where(np.arange(60) < 3, 1.0, 0.0)])
    own = np.where(np.arange(60) < 3, 1, y)  # of a value of a feature, one class alone
    twice = X[:, [0, 0]]
    flat = np.column_stack([X[:, 0], np.full(60, 7.0)])
    for rows, codes in ((apart, y), (nearly, own), (twice, y), (flat, y)):
        solved = solve_stack([rows, rows], [codes, codes], [None] * 2, 2, strength=0.0, tol=1e-8)
        assert not solved.converged.any()
    solved = solve_stack([X, apart], [y, y], [None] * 2, 2, strength=0.0, tol=1e-8)
    assert solved.converged.tolist() == [True, False]


@pytest.mark.parametrize("name", ["iris", "wine", "breast cancer", "gaussian"])
def test_a_study_without_a_penalty_is_the_same_whether_its_fits_are_stacked(name, monkeypatch):
    data = lincore.sample(name)
    sizes, steps = {data.classes.tolist()[-1]: 12}, Steps(standardize=True, n_components=2)
    alone_fits = []
    fitted = engine.fit_classifier
    monkeypatch.setattr(
        engine, "fit_classifier", lambda *args: alone_fits.append(1) or fitted(*args)
    )
    stacked = lincore.balance(data, sizes, "logistic(C=inf)", steps=steps, repeats=3)
    n_alone = len(alone_fits)
    monkeypatch.setattr(batched, "stackable", lambda *asked: False)
    alone = lincore.balance(data, sizes, "logistic(C=inf)", steps=steps, repeats=3)
    assert_allclose(stacked.losses, alone.losses, rtol=1e-8)
    assert stacked.example.seed == alone.example.seed
    assert stacked.notices == alone.notices
    # Of iris one species stands apart in every sample.
    assert (n_alone == 3 * 7) == (name == "iris")


def test_what_overflows_does_not_converge_and_leaves_others_alone():
    rng = np.random.default_rng(0)
    X, y = sample(rng, 40, 2, 2, 0.0, 1.0)
    solved = solve_stack([X, X * 1e200], [y, y], [None, None], 2, strength=2.0, tol=1e-8)
    assert solved.converged.tolist() == [True, False]


def test_constant_features_keep_a_coefficient_of_zero():
    rng = np.random.default_rng(0)
    X, y = sample(rng, 40, 2, 3, 0.0, 1.0)
    X = np.column_stack([X, np.full(40, 1e6)])
    solved = solve_stack([X], [y], [None], 3, strength=1.0, tol=1e-8)
    assert solved.converged.all()
    assert_allclose(solved.coef[0][:, 2], 0, atol=1e-15)


#: Other ways to the same minimum, and to that without intercepts.
MORE = (
    "logistic(solver=newton)",
    "logistic(max_iter=100)",
    "logistic(C=0.5, fit_intercept=False)",
)


@pytest.mark.parametrize("name", ["iris", "wine", "breast cancer", "gaussian"])
def test_a_study_is_the_same_whether_its_fits_are_stacked(name, monkeypatch):
    data = lincore.sample(name)
    sizes, steps = {data.classes.tolist()[-1]: 12}, Steps(standardize=True)
    methods = ("logistic", "logistic(C=0.1)", "lda", *MORE)
    stacked = lincore.balance(data, sizes, methods, steps=steps, repeats=3)
    assert all(has_one_minimum(as_method(line).estimator) for line in MORE)
    monkeypatch.setattr(batched, "stackable", lambda *asked: False)
    alone = lincore.balance(data, sizes, methods, steps=steps, repeats=3)
    # Both are minima of the same function, found to about nine digits.
    assert_allclose(stacked.losses, alone.losses, rtol=1e-8)
    assert stacked.example.seed == alone.example.seed
    assert stacked.notices == alone.notices


def test_a_sweep_is_the_same_whether_its_fits_are_stacked(monkeypatch):
    data = lincore.sample("wine")
    label = data.classes.tolist()[0]
    stacked = sweep(data, label, [2, 5, 20], repeats=2)
    monkeypatch.setattr(batched, "stackable", lambda *asked: False)
    alone = sweep(data, label, [2, 5, 20], repeats=2)
    assert_allclose(stacked.losses, alone.losses, rtol=1e-7)


@pytest.mark.parametrize(
    "line",
    [
        "logistic(C=inf, max_iter=20)",
        "logistic(solver=fixed-hessian)",
        "logistic(solver=gradient, max_iter=50)",
        "logistic(max_iter=3)",
        "logistic(max_iter=99)",
        "lda",
        "one-vs-rest",
    ],
)
def test_only_what_has_one_minimum_is_stacked(line):
    data = lincore.sample("iris")
    method = as_method(line)
    plan = Plan(data, {"virginica": 9}, (method,), Steps(), "stratified", 0.3, 0)
    assert not has_one_minimum(method.estimator)
    (fits,) = outcomes(plan, [plan.trial(0)])
    assert all(fit[method.name].pipeline is not None for fit in fits.values())


@pytest.mark.parametrize("line", ["logistic(C=-1.0)", "logistic(C=0.0)", "logistic(tol=-1.0)"])
def test_options_that_a_fit_refuses_are_refused_in_a_sweep(line):
    data = lincore.sample("iris")
    swept = sweep(data, "virginica", [5, 20], methods=[line, "lda"], repeats=1)
    assert any("must be positive" in reason for reason in swept.failures.values())
    assert np.isnan(swept.losses[0]).all(), "nothing was fitted"


def test_of_many_classes_each_is_fitted_by_itself():
    rng = np.random.default_rng(0)
    for n_classes, expected in ((12, True), (13, False)):
        codes = np.repeat(np.arange(n_classes), 5)
        assert batched.stackable(LogisticRegression(), n_classes) is expected
        problem = batched.Problem(rng.normal(size=(len(codes), 2)), codes, None)
        models = batched.fit_stack(LogisticRegression(), [problem] * 2, n_classes)
        assert all(model is not None for model in models)


def test_models_of_a_study_can_be_drawn():
    data = lincore.sample("iris")
    study = lincore.balance(data, {"virginica": 9}, "logistic", repeats=3)
    assert len(study.example.pipelines) == len(study.conditions)
    assert len(study.example.pipelines["logistic", "reduced"].steps[-1][1].trace_) > 1


def test_a_class_without_rows_is_not_stacked():
    data = lincore.sample("iris")
    method = as_method("logistic")
    plan = Plan(data, {"virginica": 9}, (method,), Steps(), "stratified", 0.3, 0)
    trial = plan.trial(0)
    seen = engine.TrainingSample(trial.nested.take([9, 9, 0]))
    jobs = [engine.FitTask(data, seen, trial.split.test, Steps(), 0)] * 2
    together, _ = engine.fit_tasks(jobs, [method])
    (alone,), _ = engine.fit_tasks(jobs[:1], [method])
    assert together[0]["logistic"].pipeline is not None
    found, expected = together[1]["logistic"].predicted, alone["logistic"].predicted
    assert_allclose(found.log_proba, expected.log_proba)
