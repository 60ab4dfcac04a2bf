"""Messy tables that take many rows, a grid of cases or a click; others are files in `corpus/`."""

from __future__ import annotations

import numpy as np
import pytest

from lincore.checks import find_table_problems
from lincore.io import TableOptions, describe_columns, read_table, table_to_dataset

RNG = np.random.default_rng(0)
CODES = np.arange(60) % 3
CLASSES = np.array(["north", "south", "east"])[CODES]
LENGTH = np.round(RNG.normal(10 + 2 * CODES, 1), 2)
MONEY = np.round(RNG.normal(1500 + 100 * CODES, 80), 2)


def text(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def test_zeros_that_only_pad_numbers_are_no_codes():
    pixels = RNG.integers(0, 256, (40, 9))
    lines = [",".join(f"{value:03}" for value in row) for row in pixels]
    frame = read_table(text(*lines).encode(), "made.csv").frame
    np.testing.assert_array_equal(frame, pixels)
    lines = [f"{day:03},{LENGTH[day % 60]},{'ab'[day % 2]}" for day in range(300)]
    frame = read_table(text("day,length,kind", *lines).encode(), "made.csv").frame
    assert frame["day"].tolist() == list(range(300))


@pytest.mark.parametrize("place", [0, 9, 20])
@pytest.mark.parametrize("padded", ["007", '"007"', " 007"])
def test_leading_zeros_are_found_wherever_they_stand(place, padded):
    rows = [f"{110 + i},{i % 3}.05,0,{'ab'[i % 2]}" for i in range(20)]
    plain = text("code,u,v,kind", *rows).encode()
    assert read_table(plain, "made.csv").frame["code"].tolist() == list(range(110, 130))
    rows.insert(place, f"{padded},0.07,0,a")
    raw = text("code,u,v,kind", *rows).encode()
    assert read_table(raw, "made.csv").frame["code"][place] == "007"


def test_blank_fields_between_tabs_are_missing_however_late_they_come():
    lines = [f"{a}\t{b}\t{c}" for a, b, c in zip(LENGTH, MONEY, CLASSES, strict=True)] * 100
    table = text("length\tmoney\tregion", *lines, "1.5\t\tnorth")
    last = read_table(table.encode(), "made.csv").frame.iloc[-1]
    assert (last["length"], last["region"]) == (1.5, "north")
    assert np.isnan(last["money"])


def test_spellings_of_a_class_are_merged_at_one_click():
    spelled = ["north", "North", " NORTH", "south", "south", "South  "]
    lines = [f'{a},"{spelled[i % 6]}"' for i, a in enumerate(LENGTH)]
    table = read_table(text("length,region", *lines).encode(), "made.csv")
    found = find_table_problems(table, describe_columns(table))
    (remedy,) = next(one for one in found if "case or spaces" in one.notice.what).remedies
    data = table_to_dataset(table, options=TableOptions(**remedy.options))
    assert data.counts.tolist() == [30, 30]
    assert {str(label).casefold() for label in data.classes} == {"north", "south"}
    problems = find_table_problems(table, describe_columns(table, "length"))
    assert "case or spaces" not in str(problems)
