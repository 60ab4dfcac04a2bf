"""Levels that have an order keep it, and become numbers where that is asked for."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest

from lincore.checks import find_table_problems
from lincore.io import ReadOptions, describe_columns, load, open_table

ORDER = ["low", "medium", "high"]


def made(**columns) -> pd.DataFrame:
    n = len(next(iter(columns.values())))
    return pd.DataFrame(
        {**columns, "size": [i * 1.5 for i in range(n)], "kind": list("ab") * (n // 2)}
    )


def test_an_ordered_categorical_keeps_its_order_in_parquet():
    levels = pd.Categorical(["high", "low", "medium", None] * 6, ORDER, ordered=True)
    raw = io.BytesIO()
    made(level=levels).to_parquet(raw)
    data = load(raw.getvalue(), name="made.parquet", target="kind")
    assert data.levels[0] == tuple(ORDER)
    assert data.X[:4, 0].tolist()[:3] == [2, 0, 1] and np.isnan(data.X[3, 0])


def test_an_ordered_categorical_keeps_its_order():
    levels = pd.Categorical(["high", "low", "medium", None] * 6, ORDER, ordered=True)
    years = pd.Categorical([10, 9, 2, 9] * 6, [9, 2, 10], ordered=True)
    frame = made(level=levels, year=years)
    data = load(frame, target="kind")
    assert data.levels[:2] == (("low", "medium", "high"), ("9", "2", "10"))
    assert data.X[:3, 0].tolist() == [2, 0, 1]
    of_class = load(frame, target="level")
    assert of_class.classes.tolist() == ORDER
    assert of_class.codes[:3].tolist() == [2, 0, 1]
    merged = load(frame, target="level", merge_classes={"medium": "mid"})
    assert merged.classes.tolist() == ["low", "high", "mid"]
    loose = load(frame.assign(level=levels.as_unordered()), target="kind")
    assert loose.levels[0] == ("high", "low", "medium")


@pytest.mark.parametrize(
    "answers",
    [
        ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"],
        ["never", "rarely", "sometimes", "often", "always"],
        ["very dissatisfied", "dissatisfied", "neutral", "satisfied", "very satisfied"],
        ["low", "medium", "high"],
        ["poor", "fair", "good", "very good", "excellent"],
        ["stimme gar nicht zu", "stimme eher nicht zu", "teils/teils", "stimme eher zu"],
        ["nie", "selten", "manchmal", "oft", "immer"],
    ],
)
def test_answers_of_a_scale_become_numbers_by_one_choice(answers):
    column = [answers[i * 7 % len(answers)] for i in range(40)]
    raw = made(answer=column).to_csv(index=False).encode()
    table = open_table(raw, name="made.csv")
    found = find_table_problems(table, describe_columns(table, "kind"))
    (finding,) = [one for one in found if one.notice.code == "LIN072"]
    reading = finding.remedies[0].reading
    assert reading == {"ordered": {"answer": tuple(answers)}}
    data = load(raw, name="made.csv", target="kind", options=ReadOptions(**reading))
    assert data.levels is None
    assert data.X[:, 0].tolist() == [answers.index(answer) + 1 for answer in column]


@pytest.mark.parametrize(
    "words", [["red", "green", "blue"], ["yes", "no"], ["low", "blue", "high"]]
)
def test_other_levels_are_no_scale(words):
    table = open_table(made(answer=[words[i % len(words)] for i in range(40)]))
    found = find_table_problems(table, describe_columns(table, "kind"))
    assert "LIN072" not in [one.notice.code for one in found]
