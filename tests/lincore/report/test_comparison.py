"""Notes on a comparison beside its numbers."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore.data import Dataset
from lincore.metrics import Results, Settings
from lincore.utils import captured_warnings


def table(sizes: list[int], groups: list[int] | None = None) -> Dataset:
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    names = np.array(list("abcdefgh")[: len(sizes)])
    X = rng.normal(size=(len(codes), 2)) + codes[:, None]
    return Dataset("t", X, codes, names, ("x", "z"), groups=groups)


def notes(data: Dataset, scheme: str, methods: tuple[str, ...] = ("lda",)) -> str:
    with captured_warnings():
        return " ".join(lincore.compare(data, methods, scheme).scores().notes())


def test_classes_that_stand_in_one_fold_are_never_learned_and_this_is_said():
    groups = np.array([0] * 10 + [1, 2, 3, 4] * 10)
    said = notes(table([10, 20, 20], groups), "by-group")
    assert "All rows of 'a' are in one fold, so no model that is tested on them" in said
    two = notes(table([10, 20, 20], np.array([0] * 10 + [1] * 20 + [2, 3, 4, 5] * 5)), "by-group")
    assert "All rows of 'a' and 'b' are in one fold each" in two


@pytest.mark.parametrize("scheme", ["holdout", "2x5-fold"])
def test_classes_that_are_learned_need_no_note(scheme):
    assert "one fold" not in notes(table([10, 20, 20]), scheme)


def test_a_class_of_a_single_row_is_never_learned_when_it_is_tested():
    assert "All rows of 'a' are in one fold" in notes(table([1, 20, 20]), "leave-one-out")
    assert "one fold" not in notes(table([2, 20, 20]), "leave-one-out")


@pytest.mark.parametrize(
    "stopped, failed, said",
    [
        (False, {}, []),
        (True, {}, ["Logistic regression is missing: the comparison was stopped before."]),
        (
            True,
            {"logistic": "class 1, not class 2."},
            ["Logistic regression is left out: class 'b', not class 2."],
        ),
    ],
)
def test_a_comparison_that_was_stopped_says_what_is_missing(stopped, failed, said):
    labels = {"lda": "LDA", "logistic": "Logistic regression"}
    settings = Settings(stopped=stopped, labels=labels, failed=failed)
    codes = np.array([0, 0, 1, 1])
    results = Results(("lda",), np.array(["a", "b"]), np.arange(4), codes, codes[None],
                      np.full((1, 4, 2), np.nan), np.zeros(1), settings=settings)  # fmt: skip
    assert list(results.scores().notes()[2:]) == said  # after intervals and those that are missing
