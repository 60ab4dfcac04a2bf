"""Warnings of one thread, while others capture theirs."""

from __future__ import annotations

import warnings
from threading import Barrier, Thread

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning

import lincore
from lincore.utils import captured_warnings, warn


def test_two_threads_capture_their_own_warnings():
    ready, captured = Barrier(2), {}

    def work(name):
        with captured_warnings() as said:
            ready.wait(5)
            warn(name)
            ready.wait(5)
        captured[name] = [str(one) for one in said]

    threads = [Thread(target=work, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert captured == {"one": ["one"], "two": ["two"]}


def test_the_inner_capture_takes_them_and_gives_back():
    with captured_warnings() as outer:
        with captured_warnings() as inner:
            warn("inside", ConvergenceWarning)
        warn("outside")
    assert [type(one) for one in inner] == [ConvergenceWarning]
    assert [str(one) for one in outer] == ["outside"]


def test_what_nobody_captures_is_a_warning_of_the_line_that_calls():
    with pytest.warns(ConvergenceWarning, match="nobody hears") as said:
        warn("nobody hears", ConvergenceWarning)
    assert said[0].filename == __file__


def test_the_process_keeps_its_filters_and_how_it_shows_warnings():
    before = warnings.showwarning, list(warnings.filters)
    with captured_warnings() as said:
        assert (warnings.showwarning, list(warnings.filters)) == before
        with pytest.warns(UserWarning, match="of others"):
            warnings.warn("of others", stacklevel=1)
    assert said == []


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
        warn(f"the column {self.name} gives it away")
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
