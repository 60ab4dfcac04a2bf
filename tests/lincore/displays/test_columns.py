"""Displays of columns say what pandas computes, and check what they are asked for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore import DataError, inspection

IRIS = lincore.sample("iris")


def gaps():
    X = IRIS.X.copy()
    X[:15, 1], X[:6, 2] = np.nan, np.nan
    return replace(IRIS, X=X)


def test_a_summary_by_class_is_that_of_pandas():
    split = lincore.split(IRIS)
    found = IRIS.columns(rows="train", split=split).table()
    frame = IRIS.to_frame().iloc[split.train]
    expected = frame.groupby("species")["petal width (cm)"].describe()
    own = found[(found["column"] == "petal width (cm)") & (found["class"] != "all")]
    for ours, theirs in {"mean": "mean", "sd": "std", "q25": "25%", "max": "max"}.items():
        np.testing.assert_allclose(own[ours], expected[theirs])


def test_a_summary_names_the_column_with_most_gaps_and_leaves_lines_out():
    said = gaps().columns().finding()
    assert said == "4 columns, 2 with missing values: most in sepal width (cm) (10.0 %)."
    assert inspection.summary_columns(IRIS, 17) == [0, 1, 2, 3]
    assert inspection.summary_columns(IRIS, 15) == [0, 1, 2]
    wide = lincore.load((np.zeros((6, 300)), [0, 1, 2] * 2))
    (note,) = wide.columns().notes()
    assert note.startswith("The first 150 of 300 columns.")
    people = lincore.sample("passengers")
    kinds = [people.columns(kind=kind).table() for kind in ("numeric", "categorical")]
    assert sum(frame["column"].nunique() for frame in kinds) == people.n_features


def test_pairs_and_correlations_are_those_of_numpy():
    pair = IRIS.pair("petal length (cm)", "petal width (cm)")
    total = np.corrcoef(IRIS.X[:, 2], IRIS.X[:, 3])[0, 1]
    means = np.array([IRIS.X[IRIS.codes == k].mean(axis=0) for k in range(3)])
    centred = IRIS.X - means[IRIS.codes]
    within = np.corrcoef(centred[:, 2], centred[:, 3])[0, 1]
    np.testing.assert_allclose(pair.frame()["r"], [within, total])
    assert f"r = {within:.2f} within classes, {total:.2f} over all rows" in pair.finding()
    found = IRIS.correlations(kind="total")
    assert found.finding() == (
        "petal length (cm) and petal width (cm) are the most correlated: r = 0.96."
    )
    upper = np.corrcoef(IRIS.X.T)[np.triu_indices(4, 1)]
    np.testing.assert_allclose(found.frame()["r"], upper)
    still = lincore.load((np.c_[np.arange(6.0), np.ones(6)], [0, 1] * 3), name="still")
    assert still.pair().finding().endswith("one of them is constant.")
    assert still.correlations().finding() == "No correlation can be computed."


def test_rows_without_a_value_are_counted():
    said = gaps().column("sepal width (cm)").plot().layout.meta["subtitle"]
    assert said == "135 of all 150 rows; 15 (10.0 %) are missing."
    both = gaps().pair("sepal width (cm)", "petal length (cm)").plot().layout.meta["subtitle"]
    assert both.startswith("135 of all 150 rows; 15 (10.0 %) are missing in both.")
    whole = lincore.load((np.arange(400).reshape(200, 2) % 7, [0, 1] * 100))
    said = whole.pair().plot().layout.meta["subtitle"]
    assert said.endswith("are jittered by up to a quarter of a step.")


def test_words_by_class():
    lines = ["call now", "call home", "at home", "at home now"]
    texts = pd.DataFrame({"text": lines * 5, "y": ["spam", "spam", "ham", "ham"] * 5})
    data = lincore.load(texts, target="y", roles={"text": "text"})
    found = data.words(most=5)
    assert found.finding() == (
        "“at” is the most characteristic word: it occurs in 100.0 % of 'ham' and 0.0 % of 'spam'."
    )
    frame = found.frame().set_index(["word", "class"])["share"]
    assert frame["home", "ham"] == 1 and frame["home", "spam"] == 0.5


@pytest.mark.parametrize(
    ("name", "settings", "said"),
    [
        ("column", {"column": "nobody"}, "petal length"),
        ("column", {"drawing": "of_class"}, "histogram, density, box"),
        ("column", {"bins": 11}, "10, 20"),
        ("columns", {"rows": "test"}, "all"),
        ("pair", {"x": "petal width (cm)", "y": "petal width (cm)"}, "petal length"),
        ("correlations", {"most": 99}, "99"),
        ("words", {"orders": "frequent"}, "order"),
    ],
)
def test_what_is_not_possible_is_refused_with_what_is(name, settings, said):
    with pytest.raises(DataError, match=said):
        getattr(IRIS, name)(**settings)


def test_rows_are_listed_and_cut():
    found = IRIS.rows([60, 3])
    assert found.finding() == "2 rows."
    assert found.table()["row"].tolist() == [60, 3]
    assert IRIS.rows(list(range(150)) * 4).finding() == (
        "600 rows; the first 500 are shown, 100 more are not."
    )
    digits = lincore.sample("digits")
    sheet = digits.rows([7])
    assert sheet.table().empty and sheet.frame()["class"].tolist() == [7]
    np.testing.assert_array_equal(np.ravel(sheet.plot().data[0].z), digits.X[7])


def test_calls_make_the_displays_again():
    split, data = lincore.split(IRIS), IRIS
    for found in (
        data.column("petal width (cm)", drawing="box", split=split, rows="test"),
        data.correlations(kind="total", order="clustered", most=7),
        data.rows([3, 4]),
    ):
        again = eval(found.call())  # noqa: S307
        assert type(again) is type(found) and again.key == found.key
    assert split is not None
