"""Worker processes of joblib: the same results, warnings, failures and progress as in one."""

from __future__ import annotations

import os
import signal
import warnings
from concurrent.futures import CancelledError
from dataclasses import fields
from pathlib import Path

import joblib
import numpy as np
import pytest
from joblib.parallel import ThreadingBackend
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import FitFailedWarning
from sklearn.neighbors import KNeighborsClassifier

import lincore
from lincore.model_selection import Steps, compare, learning_curve

METHODS = ["lda", "logistic", "perceptron(max_epochs=1)", "logistic(solver=sgd,max_iter=5)"]


class Warns(DummyClassifier):
    """A classifier of somebody else, which warns."""

    def fit(self, X, y, sample_weight=None):
        """Warn, and fit."""
        warnings.warn("few rows", RuntimeWarning, stacklevel=2)
        return super().fit(X, y, sample_weight)


class Fails(DummyClassifier):
    """A classifier that cannot be fitted to even numbers of class 0."""

    def fit(self, X, y, sample_weight=None):
        """Fail, or fit."""
        if np.count_nonzero(y == 0) % 2 == 0:
            raise RuntimeError("I do not like these rows.")
        return super().fit(X, y, sample_weight)


class Deadly(DummyClassifier):
    """A classifier whose second fit kills its process."""

    def __init__(self, mark=""):
        super().__init__()
        self.mark = mark

    def fit(self, X, y, sample_weight=None):
        """Kill the process, once."""
        folder = Path(self.mark)
        folder.joinpath(str(len(list(folder.iterdir())))).touch()
        if len(list(folder.iterdir())) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().fit(X, y, sample_weight)


def asked_twice(data, methods, scheme="5-fold", **options):
    """Return the results of one process and of two, with the warnings and calls of each."""
    found = []
    for n_jobs in (1, 2):
        told = []
        with warnings.catch_warnings(record=True) as shown:
            warnings.simplefilter("always")
            results = compare(
                data, methods, scheme, n_jobs=n_jobs, **options,
                progress=lambda *told_now, told=told: told.append(told_now),
            )  # fmt: skip
        found.append((results, {(str(one.message), one.category) for one in shown}, told))
    return found


def same(one, other):
    assert one.methods == other.methods
    assert_array_equal(one.predicted, other.predicted)
    assert_allclose(one.log_proba, other.log_proba, rtol=1e-10, atol=1e-10)
    assert one.decision.keys() == other.decision.keys()
    for name in one.decision:
        assert_allclose(one.decision[name], other.decision[name], rtol=1e-10)
    for part in fields(one.settings):
        mine, theirs = getattr(one.settings, part.name), getattr(other.settings, part.name)
        assert str(mine) == str(theirs), part.name


@pytest.mark.parametrize("steps", [Steps(n_components=2), Steps(basis="polynomial")])
def test_two_processes_find_what_one_finds(steps):
    data = lincore.sample("wine")
    (one, shown, told), (two, shown_there, told_there) = asked_twice(data, METHODS, steps=steps)
    same(one, two)
    assert shown == shown_there
    assert told == told_there
    assert (two.seconds > 0).all()


def test_warnings_failures_and_models_come_back():
    data = lincore.sample("iris")
    methods = {"warns": Warns(), "fails": Fails(), "lda": "lda", "near": KNeighborsClassifier()}
    (one, shown, _), (two, shown_there, _) = asked_twice(data, methods, "7-fold", keep_models=True)
    same(one, two)
    assert shown == shown_there
    assert ("few rows", RuntimeWarning) in shown
    assert FitFailedWarning in {category for _, category in shown}
    assert "I do not like these rows" in two.settings.failed["fails"]
    for name in one.models:
        assert_array_equal(one.models[name].predict(data.X), two.models[name].predict(data.X))


def test_a_run_stops_at_once_and_the_next_one_works():
    data, told = lincore.sample("iris"), []

    def stop(done, total, what):
        told.append(done)
        return done < 12

    results = compare(data, ["logistic", "perceptron"], "5-fold", progress=stop, n_jobs=2)
    assert results.settings.stopped
    assert results.methods == ("logistic",)
    assert told == [*range(1, 13)]
    assert compare(data, ["logistic"], "2-fold", n_jobs=2).methods == ("logistic",)


def test_a_process_that_is_killed_changes_nothing(tmp_path):
    data = lincore.sample("iris")
    methods = {"deadly": Deadly(str(tmp_path)), "logistic": "logistic"}
    found = compare(data, methods, "6-fold", n_jobs=2)
    assert len(list(tmp_path.iterdir())) > 6
    same(
        compare(data, {"deadly": DummyClassifier(), "logistic": "logistic"}, "6-fold"),
        found,
    )


class Forgetful(ThreadingBackend):
    """Loses a result, as Dask does at times when a worker dies that still holds some."""

    calls = 0

    def submit(self, func, callback=None):
        """Run a task, or lose it."""
        type(self).calls += 1
        return super().submit(_lost if self.calls == 3 else func, callback)


def _lost():
    raise CancelledError


def test_a_result_that_was_lost_is_computed_again():
    joblib.register_parallel_backend("forgetful", Forgetful)
    data = lincore.sample("iris")
    with joblib.parallel_config("forgetful", n_jobs=2):
        found = compare(data, ["logistic", "lda"], "6-fold")
    assert Forgetful.calls > 6
    same(compare(data, ["logistic", "lda"], "6-fold"), found)


def test_the_context_of_joblib_is_used_and_studies_find_the_same():
    data = lincore.sample("gaussian")

    def studies():
        splits = [lincore.split(data, seed=seed) for seed in range(2)]
        study = lincore.balance(data, {"class 3": 11}, ["lda", "logistic"], repeats=3)
        cost = lincore.imbalance_cost(data, ["logistic"], repeats=3)
        swept = lincore.imbalance.sweep(data, ["class 3"], [10, 40], ["logistic"], repeats=2)
        curve = learning_curve(data, ["logistic"], splits, sizes=[30, 300])
        return study.losses, cost.losses, swept.losses, curve.score_table()["value"]

    here = studies()
    with joblib.parallel_config(n_jobs=2):
        there = studies()
    for mine, theirs in zip(here, there, strict=True):
        assert_allclose(theirs, mine, rtol=1e-10, atol=1e-10)
