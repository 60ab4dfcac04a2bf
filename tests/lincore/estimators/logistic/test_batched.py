"""Many logistic regressions at once are what each is by itself."""

from __future__ import annotations

from dataclasses import replace
from functools import wraps

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression as ScikitLogistic

import lincore
from lincore import LogisticRegression
from lincore.data import Dataset
from lincore.imbalance import sweep
from lincore.model_selection import Steps, Task, TrainingSample, as_method, run

N_PROBLEMS = 50
#: Of more classes, fits are not stacked.
MOST_CLASSES = "lincore.estimators.logistic.batched.MOST_CLASSES"


@pytest.fixture(scope="module")
def problems():
    """Return samples of a table, and the rows that each has to predict.

    Classes of unequal size, some lacking, most of the small ones separable; two equal columns and
    one that hardly varies; units apart by a hundred, one mean a hundred deviations away; some
    samples of fewer rows than features.
    """
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(3), [80, 50, 30])
    X = rng.normal(size=(160, 6)) + rng.normal(size=(3, 6))[codes]
    X[:, 4] = X[:, 3]
    X[:, 5] = np.arange(160) < 3
    X = X * [1, 10, 0.1, 1, 1, 1] + [0, -1000, 0, 3, 3, 0]
    data = Dataset("samples", X, codes, np.array(["a", "b", "c"]), tuple("uvwxyz"))
    parts = []
    for b in range(N_PROBLEMS):
        share = rng.dirichlet(np.ones(3)) * (np.arange(3) != (b % 3 if b % 10 == 0 else -1))
        chance = share[codes] / np.bincount(codes)[codes]
        size = min(rng.integers(3, 120), np.count_nonzero(chance))
        train = rng.choice(160, size, replace=False, p=chance / chance.sum())
        train = np.union1d(train, [0, 100, 150] if np.ptp(codes[train]) == 0 else [])
        parts.append((train.astype(int), np.setdiff1d(np.arange(160), train)[:40]))
    sizes = [len(train) for train, _ in parts]
    assert min(sizes) < 6 < max(sizes), "more features than rows, and fewer"
    assert any(len(np.unique(codes[train])) < 3 for train, _ in parts), "a class is lacking"
    return data, parts


def at_once(problems, line):
    """Return the probabilities that a method finds in each of the problems, as a study asks it."""
    data, parts = problems
    steps = Steps(standardize=False)
    plan = [Task(TrainingSample(train), test) for train, test in parts]
    return [np.exp(outcome.predicted.log_proba) for outcome in outcomes(plan, line, data, steps)]


def outcomes(plan, line, data, steps):
    """Return the outcome of one method in each task."""
    done = run(plan, [as_method(line)], data, steps=steps, stacked=True)
    return [outcome for step in done for outcome in step.outcomes.values()]


def one_by_one(problems, estimator):
    """Return the probabilities that fits of an estimator find in each of the problems."""
    data, parts = problems
    found = []
    for train, test in parts:
        estimator.fit(data.X[train], data.codes[train])
        found.append(np.zeros((len(test), 3)))
        found[-1][:, estimator.classes_] = estimator.predict_proba(data.X[test])
    return found


@pytest.mark.parametrize(
    ("solver", "atol", "options"),
    [
        ("newton", 1e-12, {"C": 0.01, "fit_intercept": False}),
        ("newton", 1e-12, {"C": np.inf}),
        ("newton-cg", 1e-9, {"C": 100.0}),
    ],
)
@pytest.mark.filterwarnings("ignore::lincore.estimators.logistic.separation.SeparationWarning")
def test_many_problems_at_once_are_single_fits(problems, solver, atol, options):
    estimator = LogisticRegression(solver=solver, **options)
    line = f"logistic({', '.join(f'{k}={v}' for k, v in {'solver': solver, **options}.items())})"
    if np.isinf(estimator.C):
        # Nearly separated classes without a penalty: rounding, another one on each processor, is
        # multiplied by the condition of the Hessian.
        atol *= 10
    pairs = zip(at_once(problems, line), one_by_one(problems, estimator), strict=True)
    for found, expected in pairs:
        assert_allclose(found, expected, rtol=0, atol=atol)


def test_many_problems_at_once_are_those_of_a_slow_reference(problems):
    data, parts = problems
    reference = ScikitLogistic(C=2.0, tol=1e-10, solver="newton-cholesky")
    # It wants columns whose means are near zero; with an intercept they are no matter.
    centred = replace(data, X=data.X - data.X.mean(axis=0))
    expected = one_by_one((centred, parts), reference)
    for one, theirs in zip(at_once(problems, "logistic(C=2.0)"), expected, strict=True):
        assert_allclose(one, theirs, rtol=0, atol=1e-7)


@pytest.fixture
def alone(monkeypatch):
    """Return a list that grows by one with each logistic regression that is fitted by itself."""
    fits, fit = [], LogisticRegression.fit

    @wraps(fit)
    def counted(*args, **options):
        fits.append(1)
        return fit(*args, **options)

    monkeypatch.setattr(LogisticRegression, "fit", counted)
    return fits


def together(line, *problems):
    """Fit a method to several tables at once, each of a matrix, codes and weights."""
    X, codes = (np.concatenate([part[i] for part in problems]) for i in (0, 1))
    weights = [weight for _, _, weight in problems]
    ones = [np.ones(len(X)) if weight is None else weight for X, _, weight in problems]
    data = Dataset(
        "made", X, codes, np.arange(codes.max() + 1), tuple(f"x{j}" for j in range(X.shape[1])),
        weights=None if all(weight is None for weight in weights) else np.concatenate(ones),
    )  # fmt: skip
    ends = np.cumsum([len(X) for X, _, _ in problems])
    parts = np.split(np.arange(len(X)), ends[:-1])
    plan = [Task(TrainingSample(rows), rows) for rows in parts]
    return outcomes(plan, line, data, Steps(standardize=False))


@given(
    st.integers(0, 2**31),
    st.integers(2, 4),
    st.integers(1, 4),
    st.floats(0.3, 4.0),
    st.sampled_from([0.01, 1.0, 100.0, np.inf]),
    st.booleans(),
)
@settings(max_examples=15)
def test_weighted_problems_are_the_same_at_once(seed, n_classes, p, spread, C, intercept):
    rng = np.random.default_rng(seed)
    problems = []
    for weighted in (False, True, True):
        codes = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=60)])
        X = rng.normal(size=(len(codes), p)) + spread * rng.normal(size=(n_classes, p))[codes]
        weight = rng.uniform(0.2, 5, len(X)) if weighted else None
        problems.append((X * 10.0 ** rng.integers(-2, 3, p), codes, weight))
    line = f"logistic(C={C}, solver=newton, fit_intercept={intercept})"
    for found, (X, codes, weight) in zip(together(line, *problems), problems, strict=True):
        model = found.pipeline[-1]
        if model.separation_ is not None:  # fitted by itself
            continue
        estimator = LogisticRegression(C=C, solver="newton", fit_intercept=intercept)
        own = estimator.fit(X, codes, weight)  # any warning is an error
        assert model.converged_ and own.converged_
        assert_allclose(model.predict_proba(X), own.predict_proba(X), atol=1e-9)
        assert_allclose(model.log_loss_, own.log_loss_, rtol=1e-9)
        assert model.n_iter_ == own.n_iter_


def test_without_a_penalty_only_one_minimum_is_believed(alone):
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=60)
    X = rng.normal(size=(60, 2)) + codes[:, None]
    apart = np.column_stack([X[:, 0], codes + 0.1 * X[:, 1]])
    nearly = np.column_stack([X[:, 0], np.arange(60) < 3])
    own = np.where(np.arange(60) < 3, 1, codes)  # of a value of a feature, one class alone
    problems = [(apart, codes, None), (nearly, own, None), (X, codes, None)]
    found = together("logistic(C=inf)", *problems)
    assert len(alone) == 2
    kinds = [one.pipeline[-1].separation_ for one in found]
    assert [kind is None for kind in kinds] == [False, False, True]


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_a_study_without_a_penalty_is_the_same_whether_its_fits_are_stacked(
    name, monkeypatch, alone
):
    data = lincore.sample(name)
    sizes, steps = {data.classes.tolist()[-1]: 12}, Steps(standardize=True, n_components=2)
    stacked = lincore.balance(data, sizes, "logistic(C=inf)", steps=steps, repeats=3)
    n_alone = len(alone)
    monkeypatch.setattr(MOST_CLASSES, 0)
    single = lincore.balance(data, sizes, "logistic(C=inf)", steps=steps, repeats=3)
    assert_allclose(stacked.losses, single.losses, rtol=1e-8)
    assert stacked.example.seed == single.example.seed
    assert stacked.notices == single.notices
    # Of iris one species stands apart in every sample.
    assert (n_alone == 3 * 7) == (name == "iris")


def test_what_is_refused_leaves_others_alone():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(40, 2)), rng.integers(2, size=40)
    fit, failure = together("logistic", (X, codes, None), (X * 1e200, codes, None))
    assert fit.pipeline[-1].converged_ and "squares of the features overflow" in failure.reason


#: Other ways to the same minimum, and to that without intercepts.
MORE = (
    "logistic(solver=newton)",
    "logistic(max_iter=100)",
    "logistic(C=0.5, fit_intercept=False)",
)


@pytest.mark.parametrize("name", ["wine"])
def test_a_study_is_the_same_whether_its_fits_are_stacked(name, monkeypatch, alone):
    data = lincore.sample(name)
    sizes, steps = {data.classes.tolist()[-1]: 12}, Steps(standardize=True)
    methods = ("logistic", "logistic(C=0.1)", "lda", *MORE)
    stacked = lincore.balance(data, sizes, methods, steps=steps, repeats=3)
    assert not alone
    monkeypatch.setattr(MOST_CLASSES, 0)
    single = lincore.balance(data, sizes, methods, steps=steps, repeats=3)
    # Both are minima of the same function, found to about nine digits.
    assert_allclose(stacked.losses, single.losses, rtol=1e-8)
    assert stacked.example.seed == single.example.seed
    assert stacked.notices == single.notices


def test_a_sweep_is_the_same_whether_its_fits_are_stacked(monkeypatch):
    data = lincore.sample("wine")
    label = data.classes.tolist()[0]
    stacked = sweep(data, [label], [2, 5, 20], repeats=2)
    monkeypatch.setattr(MOST_CLASSES, 0)
    single = sweep(data, [label], [2, 5, 20], repeats=2)
    assert_allclose(stacked.losses, single.losses, rtol=1e-7)


@pytest.mark.parametrize(
    "line",
    [
        "logistic(C=inf, max_iter=20)",
        "logistic(solver=gradient, max_iter=20)",
        "logistic(max_iter=3)",
        "logistic(max_iter=99)",
        "lda",
        "one-vs-rest",
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_only_what_has_one_minimum_is_stacked(line, alone):
    study = lincore.balance(lincore.sample("iris"), {"virginica": 9}, line, repeats=1)
    assert not study.failures
    assert bool(alone) is line.startswith("logistic")


@pytest.mark.parametrize("line", ["logistic(C=-1.0)", "logistic(C=0.0)", "logistic(tol=-1.0)"])
def test_options_that_a_fit_refuses_are_refused_in_a_sweep(line):
    data = lincore.sample("iris")
    swept = sweep(data, ["virginica"], [5, 20], methods=[line, "lda"], repeats=1)
    assert any("must be positive" in reason for reason in swept.failures.values())
    assert np.isnan(swept.losses[0]).all(), "nothing was fitted"


@pytest.mark.parametrize(("n_classes", "n_alone"), [(12, 0), (13, 2)])
def test_of_many_classes_each_is_fitted_by_itself(n_classes, n_alone, alone):
    codes = np.repeat(np.arange(n_classes), 5)
    X = np.random.default_rng(0).normal(size=(len(codes), 2))
    together("logistic", *[(X, codes, None)] * 2)
    assert len(alone) == n_alone


def test_models_of_a_study_can_be_drawn():
    data = lincore.sample("iris")
    study = lincore.balance(data, {"virginica": 9}, "logistic", repeats=3)
    assert len(study.example.pipelines) == len(study.conditions)
    assert len(study.example.pipelines["logistic", "reduced"].steps[-1][1].trace_) > 1


def test_a_class_without_rows_is_not_stacked():
    data = lincore.sample("iris")
    sample, test = TrainingSample(np.r_[:9, 50:59]), np.arange(60, 150)
    plan = [Task(sample, test)] * 2
    first, second = outcomes(plan, "logistic", data, Steps())
    (single,) = outcomes(plan[:1], "logistic", data, Steps())
    assert first.pipeline is not None
    found, expected = second.predicted, single.predicted
    assert_allclose(found.log_proba, expected.log_proba)
