"""Warnings of one thread, while others hear theirs or change the process's filters."""

from __future__ import annotations

import warnings
from threading import Barrier, Thread

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

import lincore
from lincore.utils.thread_warnings import captured_warnings


def in_a_thread(work):
    """Run work in another thread and wait; what it raises is raised here."""
    raised = []

    def run():
        try:
            work()
        except BaseException as error:
            raised.append(error)

    thread = Thread(target=run)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


def test_a_listener_that_foreign_filters_put_back_is_no_trap():
    foreign = warnings.catch_warnings()
    with captured_warnings():
        foreign.__enter__()
    foreign.__exit__(None, None, None)
    with captured_warnings() as said:
        with pytest.warns(UserWarning, match="elsewhere"):
            in_a_thread(lambda: warnings.warn("elsewhere", stacklevel=1))
        warnings.warn("here", stacklevel=1)
    assert [str(warning) for warning in said] == ["here"]
    with pytest.warns(UserWarning, match="nobody hears"):
        warnings.warn("nobody hears", stacklevel=1)


def test_a_listener_that_foreign_filters_took_away_comes_back():
    foreign = warnings.catch_warnings()
    foreign.__enter__()
    with captured_warnings():
        foreign.__exit__(None, None, None)
        with captured_warnings() as said:
            warnings.warn("here", stacklevel=1)
    assert [str(warning) for warning in said] == ["here"]


class Complaining(ClassifierMixin, BaseEstimator):
    """Warns by name while another fit goes on, and predicts the largest class."""

    gate = Barrier(2)

    def __init__(self, name: str = "") -> None:
        self.name = name

    def fit(self, X, y, sample_weight=None):
        """Warn while the other fit waits to."""
        self.classes_, counts = np.unique(y, return_counts=True)
        self.largest_ = self.classes_[counts.argmax()]
        self.gate.wait(30)
        warnings.warn(f"the column {self.name} gives it away", stacklevel=1)
        self.gate.wait(30)
        return self

    def predict(self, X):
        """Return the largest class."""
        return np.full(len(X), self.largest_)


def test_two_studies_at_once_keep_their_warnings_apart():
    data, found = lincore.sample("iris"), {}

    def study(name):
        model = Complaining(name)
        found[name] = lincore.balance(data, {"setosa": 0.5}, model, repeats=1).notices

    other = Thread(target=study, args=("salary",))
    other.start()
    study("colour")
    other.join()
    assert found == {name: (f"the column {name} gives it away",) for name in ("colour", "salary")}
