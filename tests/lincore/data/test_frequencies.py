"""Frequencies: rows are repeated at loading, and the copies of a line are a group."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import lincore
from lincore import DataError, metrics
from lincore.data import counting, with_row_weights
from lincore.model_selection import plan_folds
from lincore.prediction import predict
from tests.lincore.data.test_row_weights import FLOWERS


def test_a_frequency_repeats_the_rows():
    data = lincore.load(FLOWERS.drop(columns="w"), target="kind", frequencies="n")
    assert_array_equal(data.X.ravel(), [1.5, *[2.5] * 5, 4, 6.5, 6.5])
    assert_array_equal(data.groups, [0, 1, 1, 2, 2, 2, 3, 4, 4])
    assert data.group_name == "lines of 'n'" and data.group_names == ("1", "2", "3", "4", "5")
    repeated = FLOWERS.loc[np.repeat(np.arange(6), FLOWERS["n"]), ["length", "kind"]]
    plain = lincore.load(repeated, target="kind")
    assert data.rare == plain.rare and data.counts.tolist() == plain.counts.tolist()
    assert [notice.what for notice in data.notices if notice.where == "column 'n'"] == [
        "1 of 6 rows has frequency zero and was left out.",
        "5 lines repeated by 'n': 9 rows.",
    ]
    assert counting(data) == ""


def test_both_together_are_those_of_arrays():
    table = lincore.load(FLOWERS, target="kind", weights="w", frequencies="n")
    X, y = FLOWERS[["length"]].to_numpy(), FLOWERS["kind"].to_numpy()
    columns = {"weights": FLOWERS["w"], "frequencies": FLOWERS["n"]}
    arrays = with_row_weights(lincore.load((X, y)), **columns, weight_name="w", frequency_name="n")
    assert_array_equal(table.X, arrays.X)
    assert_allclose(table.weights, arrays.weights)
    assert_array_equal(table.groups, arrays.groups)
    assert table.notices == arrays.notices
    assert_allclose(table.take([0, 1, 5]).weights.mean(), 1)


def test_a_group_column_stays_and_keeps_copies_together():
    """A line that names no group is a group of its own, with all of its copies."""
    frame = FLOWERS.assign(g=["p", "q", None, "p", "q", None])
    roles = {"w": "ignore", "n": "frequency", "g": "group"}
    data = lincore.load(frame, target="kind", roles=roles)
    assert data.group_name == "g"
    assert_array_equal(data.groups, [0, 1, 1, 2, 2, 2, 0, 3, 3])
    again = with_row_weights(data, frequencies=np.full(9, 2))
    assert again.group_name == "g"
    assert_array_equal(again.groups, np.repeat(data.groups, 2))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 2.5, 3, 1, 1, 1], "frequency 2.5 is not a whole number"),
        ([1, 2, -1, 1, 1, 1], "'n', data row 3: The frequency -1 is negative"),
        ([1, None, 1, 1, 1, 1], "'n', data row 2: The frequency is missing"),
        ([0] * 6, "Every frequency is zero"),
        ([1, 10**7, 1, 1, 1, 1], "add up to 10,000,005 rows"),
        ([1, 1e300, 1, 1, 1, 1], "add up to 1e.300 rows"),
    ],
)
def test_what_is_no_frequency_is_refused_with_its_place(values, message):
    with pytest.raises(DataError, match=message):
        lincore.load(FLOWERS.assign(n=values), target="kind", frequencies="n")


def test_places_are_of_the_file_where_rows_before_weigh_nothing():
    X, y = FLOWERS[["length"]].to_numpy(), FLOWERS["kind"]
    with pytest.raises(DataError, match="data row 6: The frequency -1 is negative"):
        lincore.load((X, y), weights=FLOWERS["w"], frequencies=[1, 1, 1, -5, 1, -1])


def test_a_digest_knows_frequencies():
    data = lincore.sample("iris")
    assert with_row_weights(data, frequencies=np.ones(150)).digest != data.digest


def counts(seed, n=60):
    """Return a table of lines with their frequencies, and its rows written out, line by line."""
    rng = np.random.default_rng(seed)
    kind = np.arange(n) % 3
    frame = pd.DataFrame(
        {
            "u": rng.normal(size=n) + kind,
            "colour": rng.choice(["red", "green"], n),
            "n": rng.integers(0, 4, n),
            "kind": np.array(["a", "b", "c"])[kind],
        }
    )
    rows = frame.loc[np.repeat(frame.index, frame["n"])].drop(columns="n")
    return frame, rows.assign(line=rows.index)


@pytest.mark.parametrize("scheme", [None, "4-fold by group", "5-fold"])
def test_all_is_as_with_the_rows_written_out_and_grouped(scheme):
    frame, rows = counts(0)
    tables = (
        lincore.load(frame, target="kind", frequencies="n"),
        lincore.load(rows, target="kind", roles={"line": "group"}),
    )
    assert tables[0].feature_names == tables[1].feature_names
    one, other = (lincore.compare(data, ("lda", "naive-bayes"), scheme) for data in tables)
    assert_array_equal(one.rows, other.rows)
    assert_array_equal(one.log_proba, other.log_proba)
    assert one.settings.groups_divided == other.settings.groups_divided == (scheme == "5-fold")
    for score in ("accuracy", "log loss"):
        ends = [metrics.score(found, "lda", score)[:3] for found in (one, other)]
        assert_array_equal(*ends)


def test_studies_are_as_with_the_rows_written_out_and_grouped():
    frame, rows = counts(1)
    tables = (
        lincore.load(frame, target="kind", frequencies="n"),
        lincore.load(rows, target="kind", roles={"line": "group"}),
    )
    given = {"methods": "lda", "repeats": 2}
    costs = [lincore.imbalance_cost(data, **given).losses for data in tables]
    assert_array_equal(*costs)
    sweeps = [lincore.sweep(data, ["a"], [5, 12], **given).losses for data in tables]
    assert_array_equal(*sweeps)


@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.integers(1, 6), min_size=24, max_size=24),
    st.integers(0, 9),
    st.sampled_from(["holdout by group", "by-group", "3-fold by group", "2x4-fold by group"]),
)
def test_copies_of_a_line_are_not_divided(frequencies, seed, scheme):
    rng = np.random.default_rng(seed)
    source = (rng.normal(size=(24, 2)), np.arange(24) % 2)
    data = lincore.load(source, frequencies=frequencies)
    for part in (*plan_folds(data, scheme, seed), lincore.split(data, seed=seed)):
        assert not np.isin(data.groups[part.test], data.groups[part.train]).any()


def test_rows_of_a_new_file_count_once():
    frame, rows = counts(2)
    data = lincore.load(frame, target="kind", frequencies="n")
    model = lincore.compare(data, "lda", keep_models=True).model("lda")
    found = predict(model, frame)
    assert found.match.additional == ("n",) and len(found.scores().notes()) == 1
    assert len(found.results().rows) == len(frame)
    assert len(predict(model, rows).results().rows) == len(rows)
