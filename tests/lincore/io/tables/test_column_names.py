"""Columns called as parameters and attributes of pandas are: read, split and compared as others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import lincore
from lincore.checks import find_table_problems
from lincore.io import (
    ReadOptions,
    dataset_to_table,
    describe_columns,
    load,
    read_table,
    table_to_dataset,
)
from lincore.limits import LIMITS

#: Attributes and parameters of pandas, and a word of Python.
NAMES = ["T", "X", "self", "cls", "dtype", "shape", "size", "count", "name", "index", "lambda"]


def written(name: str, n_rows: int = 60, others: str = "u") -> bytes:
    """Return a table of two numbers, the first of that name, and two classes."""
    rng = np.random.default_rng(0)
    u, v = rng.normal(size=(2, n_rows))
    rows = (f"{u[i] + i % 2:.3f},{v[i]:.3f},{'ab'[i % 2]}" for i in range(n_rows))
    return "\n".join([f"{name},{others},kind", *rows]).encode()


@pytest.mark.parametrize("name", NAMES)
def test_a_column_of_any_name_is_read(name):
    data = load(written(name), name="made.csv", target="kind")
    assert data.feature_names == (name, "u")
    assert data.n_rows == 60


@pytest.mark.parametrize("name", ["self", "name", "index"])
@pytest.mark.parametrize(
    "values",
    [
        ["1 kg", "2 kg", "3.5 kg", "4 kg"],
        ["1,5", "2,5", "3,5", "7,25"],
        ["01067", "10115", "01069", "20095"],
        ["red", "green", "red", "blue"],
        ["1.5", "?", "2.5", "3.5"],
    ],
)
def test_texts_of_any_name_are_read_as_those_of_others(name, values):
    def read(column):
        lines = [f"{column};kind;u;v;w"]
        lines += [
            f"{value};{'ab'[i % 2]};{i};{i + 1};{7 * i % 4}" for i, value in enumerate(values * 3)
        ]
        return read_table("\n".join(lines).encode(), "made.csv").frame[column]

    pd.testing.assert_series_equal(read(name), read("other"), check_names=False)


@pytest.mark.parametrize("name", ["self", "frame", "data"])
def test_frames_marks_and_data_sets_take_any_name(name):
    frame = pd.DataFrame({name: pd.Categorical(list("uvuvuv")), "kind": list("ababab")})
    assert load(frame, target="kind").levels == (("u", "v"),)
    marked = load(written(name), target="kind", options=ReadOptions(missing_in={name: ("0",)}))
    assert marked.feature_names == (name, "u")
    small = load(([[1.0], [2.0], [3.0]], [0, 1, 0]))
    assert name in dataset_to_table(small, name).frame


def test_a_target_called_self_is_found_checked_and_compared():
    raw = written("u", 80, "axis").replace(b"kind", b"self")
    table = read_table(raw, "made.csv")
    columns = describe_columns(table, "self")
    assert isinstance(find_table_problems(table, columns), tuple)
    data = table_to_dataset(table, "self")
    results = lincore.compare(data, ["lda"])
    assert results.settings.scheme == "holdout"


def test_a_large_file_with_a_column_called_self_is_read_in_blocks():
    limits = replace(LIMITS, max_table_bytes=20_000)
    raw = b"self,u,kind\n" + b"".join(
        b"%d kg,%d,%s\n" % (i % 7, i % 5, b"ab"[i % 2 : i % 2 + 1]) for i in range(4_000)
    )
    data = table_to_dataset(read_table(raw, "made.csv", limits=limits), "kind")
    assert "self" in data.feature_names
