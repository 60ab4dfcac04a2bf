"""Displays of a data set as a whole."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import lincore
from lincore import DataError
from lincore.data import TrueParameters

WINE = lincore.sample("wine")


def test_classes_are_counted_in_all_and_in_each_part():
    split = lincore.split(WINE)
    found = WINE.class_counts(split=split)
    assert found.finding() == (
        "The largest class, 'class_1', has 71 rows: 1.5 times the 48 of 'class_2'."
    )
    frame = found.frame()
    assert frame["rows"].tolist() == WINE.counts.tolist() and frame["share"].sum() == 1
    np.testing.assert_array_equal(frame["training"] + frame["test"], frame["rows"])
    assert found.plot() is not None and WINE.class_counts().plot() is None
    assert lincore.sample("iris").class_counts().finding() == "Every class has 50 rows."
    streamed = lincore.Moments.from_groups(WINE.X, WINE.codes, 3)
    twice = replace(WINE, streamed=streamed).class_counts()
    assert "has 142 rows" in twice.finding() and "178 are in memory" in twice.scope()


def test_weights_are_told():
    data = lincore.load(([[1.0], [2.0]], ["b", "a"]), weights=[1, 3])
    (note,) = data.class_counts().notes()
    assert note == "Weighted by 'weights', as 1.6 rows of equal weight (Kish)."


def test_findings_are_those_of_the_checks():
    data = WINE.take(np.tile(np.arange(WINE.n_rows), 2))
    split = lincore.split(data)
    found = data.findings(split=split)
    sentences = [one.sentence for one in lincore.data_checks(data, split)]
    assert sentences and found.finding() == f"Findings: {' '.join(sentences)}"
    assert found.frame()["what"].tolist()[: len(sentences)] == sentences
    assert WINE.findings().finding() == "The data checks found nothing that biases the scores."
    lone = lincore.load(([[1.0], [2.0]], ["b", "a"]))
    assert lone.findings().found == (), "no test set can be drawn"


def gaussian(**truth) -> lincore.Dataset:
    known = {"means": [[0.0], [2.0]], "covariances": [[[1.0]], [[1.0]]], "priors": [0.5, 0.5]}
    known = {name: np.array(value) for name, value in (known | truth).items()}
    data = lincore.load(([[0.0], [2.0], [1.0]], ["a", "b", "a"]))
    return replace(data, truth=TrueParameters(**known))


@pytest.mark.parametrize(
    ("means", "said"),
    [
        ([[0.0], [2.0]], "No classifier is better on these Gaussians than 15.87 % (exactly: "),
        ([[0.0], [9.8]], "No classifier is better on these Gaussians than 0.000048 % (exactly: "),
        ([[0.0], [99.0]], "A classifier can be nearly perfect on these Gaussians ("),
    ],
)
def test_the_least_error_has_digits_however_small(means, said):
    assert gaussian(means=means).true_parameters().finding().startswith(said)


def test_true_parameters_are_listed_and_only_those_that_are_known():
    found = gaussian(outliers=0.05, label_noise=0.1).true_parameters()
    assert found.finding().endswith("Besides, 5 % outliers and 10 % wrong labels were asked for.")
    assert found.frame()["mean of feature 1"].tolist() == [0.0, 2.0] and found.plot() is None
    flat = gaussian(covariances=[[[0.0]], [[0.0]]]).true_parameters()
    assert flat.finding() == ""
    with pytest.raises(DataError, match="unknown"):
        WINE.true_parameters().finding()
