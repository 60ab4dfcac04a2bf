"""Displays of a data set as a whole."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import lincore
from lincore import DataError, io
from lincore.checks import find_image_duplicates
from lincore.data import Blocks, TrueParameters
from lincore.displays import UnevenLinesDisplay, duplicate_images, first_images

WINE = lincore.sample("wine")


def test_classes_are_counted_in_all_and_in_each_part():
    split = lincore.split(WINE)
    found = WINE.class_counts(split=split)
    assert found.finding() == (
        "The largest class, 'class_1', has 71 rows, the smallest, 'class_2', 48 (ratio 1.5)."
    )
    frame = found.frame()
    assert frame["rows"].tolist() == WINE.counts.tolist() and frame["share"].sum() == 1
    np.testing.assert_array_equal(frame["training"] + frame["test"], frame["rows"])
    assert found.plot() is not None and WINE.class_counts().plot() is None
    assert lincore.sample("iris").class_counts().finding() == "Every class has 50 rows."
    streamed = lincore.Moments.from_groups(WINE.X, WINE.codes, 3)
    blocks = Blocks(streamed, WINE.counts, (), iter)
    twice = replace(WINE, blocks=blocks).class_counts()
    assert "has 142 rows" in twice.finding() and "178 are in memory" in twice.scope()


def test_files_and_lines_that_were_left_out_are_listed():
    data = replace(WINE, skipped=(("a.pdf", "not an image"),))
    assert data.skipped_files().finding() == "1 file was skipped."
    assert data.skipped_files().frame().values.tolist() == [["a.pdf", "not an image"]]
    assert WINE.skipped_files().finding() == "No file was skipped."
    raw = ("a,b,class\n" + "1,2,x\n3,4,y\n" * 20 + "5,6,7,8,9\n").encode()
    uneven = UnevenLinesDisplay(io.read_table(raw, "t.csv").reading)
    assert uneven.finding() == "1 line did not fit."
    assert uneven.frame()["line"].tolist() == [42]


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
    assert lone.findings().findings == (), "no test set can be drawn"


def gaussian(**truth) -> lincore.Dataset:
    known = {"means": [[0.0], [2.0]], "covariances": [[[1.0]], [[1.0]]], "priors": [0.5, 0.5]}
    known = {name: np.array(value) for name, value in (known | truth).items()}
    data = lincore.load(([[0.0], [2.0], [1.0]], ["a", "b", "a"]))
    return replace(data, truth=TrueParameters(**known))


@pytest.mark.parametrize(
    ("means", "said"),
    [
        ([[0.0], [2.0]], "No classifier has an error below 15.87 % on these Gaussians (exact: "),
        ([[0.0], [9.8]], "No classifier has an error below 0.000048 % on these Gaussians (exact: "),
        ([[0.0], [99.0]], "A classifier can be nearly perfect on these Gaussians ("),
    ],
)
def test_the_least_error_has_digits_however_small(means, said):
    assert gaussian(means=means).true_parameters().finding().startswith(said)


def test_true_parameters_are_listed_and_only_those_that_are_known():
    found = gaussian(outliers=0.05, label_noise=0.1).true_parameters()
    assert found.finding().endswith("Requested besides: 5 % outliers and 10 % wrong labels.")
    assert found.frame()["mean of feature 1"].tolist() == [0.0, 2.0] and found.plot() is None
    flat = gaussian(covariances=[[[0.0]], [[0.0]]]).true_parameters()
    assert flat.finding() == ""
    with pytest.raises(DataError, match="unknown"):
        WINE.true_parameters().finding()


def test_missing_values_of_columns_are_printed_as_the_page_shows_them():
    table = io.dataset_to_table(lincore.sample("iris"), "species")
    assert re.search(r"species +target category +0\.0 ", str(table.columns("species")))


def test_the_columns_of_a_table_state_problems_until_the_choices_solve_them():
    text = "length,kind\n" + "1.5,a\n2.5,b\n3.5,a\n4.5,b\n" * 3 + "9.5,c\n"
    table = io.open_table(text.encode(), name="t.csv")
    problems = table.columns("kind").problems
    (hint,) = [h for one in problems for h in one.remedies if "drop_classes" in h.options]
    solved = table.columns("kind", io.TableOptions().with_hint(hint))
    assert len(solved.problems) == len(problems) - 1
    (lost,) = {str(one.notice) for one in problems} - {str(one.notice) for one in solved.problems}
    assert lost in str(table.columns("kind")) and lost not in str(solved)
    cut = io.TableOptions(where=(io.Condition("length", "between", (2, None)),))
    assert len(table.columns("kind", cut).used.frame) == 10


def test_duplicates_are_shown_in_pairs_each_once_with_their_names():
    digits = lincore.sample("digits")
    rows = [0, 1, 2, 0, 5]
    data = replace(digits, X=digits.X[rows], codes=digits.codes[rows])
    found = find_image_duplicates(data)
    shown = duplicate_images(data, found)
    assert found.pairs == [(0, 3)] and shown.numbers == (0, 3)
    assert shown.captions == ("row 1", "row 4")
    assert shown.plot().layout.meta["title"].endswith("the first 1 of 1 pairs")


def test_the_first_images_fill_a_line_for_each_class():
    digits = lincore.sample("digits")
    shown = first_images(digits)
    assert shown.columns == 10 and len(shown.shown) == 100
    assert digits.codes[list(shown.numbers)].reshape(10, 10).tolist() == [
        [k] * 10 for k in range(10)
    ]
