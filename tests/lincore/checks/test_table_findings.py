"""Findings on a table: planted faults are found, chance patterns are not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from lincore import DataError
from lincore.checks import find_table_problems, with_decisions
from lincore.io import TableOptions, describe_columns, frame_to_table, table_to_dataset

RNG = np.random.default_rng(11)
N = 200
MEASURED = RNG.normal(size=N).round(3)


def found(word, **columns):
    made = frame_to_table(pd.DataFrame(columns), "made")
    listed = find_table_problems(made, describe_columns(made))
    return made, [finding for finding in listed if word in str(finding.notice)]


def test_rows_repeat_by_chance_where_there_are_few_answers():
    answers = {f"q{i}": RNG.integers(1, 4, N) for i in range(3)}
    assert pd.DataFrame(answers).duplicated().sum() > 100
    assert found("duplicate", **answers, label=RNG.integers(0, 2, N))[1] == []


def test_rows_that_repeat_more_often_than_by_chance_are_told():
    some = {f"q{i}": np.tile(RNG.integers(1, 9, N // 2), 2) for i in range(6)}
    (finding,) = found("duplicate", **some, label=np.tile(RNG.integers(0, 2, N // 2), 2))[1]
    assert finding.notice.what.startswith("100 rows are duplicates")


def test_misspelt_classes_are_merged_at_a_click():
    labels = ["versicolor"] * 90 + ["versicolour"] * 2 + ["virginica"] * 95 + ["virgniica"] * 3
    labels += ["Virginca"] * 10
    made, (finding,) = found("misspelt", x=MEASURED, species=labels)
    (remedy,) = finding.remedies
    data = table_to_dataset(made, options=TableOptions(**remedy.options))
    assert data.classes.tolist() == ["versicolor", "virginica"]
    assert np.bincount(data.codes).tolist() == [92, 108]


@pytest.mark.parametrize(
    ("common", "rare"),
    [
        ("type A", "type B"),
        ("class 1", "class 2"),
        ("imU", "imL"),
        ("grade10", "grade11"),
        ("male", "female"),
        ("hyperthyroid", "hypothyroid"),
        ("positive", "negative"),
    ],
)
def test_classes_that_are_near_by_nature_are_left_alone(common, rare):
    labels = [common] * 190 + [rare] * 10
    assert found("misspelt", x=MEASURED, label=labels)[1] == []


def test_classes_of_like_size_are_no_slips():
    assert found("misspelt", x=MEASURED, label=["angel", "angle"] * 100)[1] == []


@pytest.mark.parametrize("name", ["patient_id", "subject", "Customer ID", "userId"])
def test_what_belongs_together_is_kept_together_unless_it_is_ignored(name):
    people = np.repeat(RNG.permutation(40), 5)
    columns = {name: people, "x": MEASURED, "label": RNG.integers(0, 2, N)}
    made, problems = found("groups of rows, such", **columns)
    assert not problems
    data = table_to_dataset(made)
    assert data.feature_names == ("x",)
    assert len(data.group_names) == 40
    (notice,) = [one for one in data.notices if one.code == "LIN059"]
    assert f"{N:,} rows of 40 subjects" in notice.what
    listed = with_decisions((), made, describe_columns(made), [notice])
    (ignored,) = listed[0].remedies
    assert table_to_dataset(made, options=TableOptions(roles=ignored.roles)).groups is None
    chosen = table_to_dataset(made, options=TableOptions(roles={name: "group"}))
    assert "LIN059" not in [one.code for one in chosen.notices]


@pytest.mark.parametrize(("name", "scale"), [("citric acid", 1), ("width", 1), ("user", 0.3)])
def test_a_measurement_is_no_group(name, scale):
    columns = {name: scale * np.repeat(RNG.permutation(40), 5), "label": RNG.integers(0, 2, N)}
    assert found("groups of rows, such", **columns)[1] == []


def test_long_texts_that_are_left_out_are_counted_at_a_click():
    words = np.array(["good", "bad", "screen", "battery", "broke", "fast", "slow", "price"])
    reviews = [" ".join(RNG.choice(words, 9)) for _ in range(N)]
    columns = {"price": MEASURED, "review": reviews, "label": RNG.integers(0, 2, N)}
    made, (finding,) = found("no model uses", **columns)
    assert finding.notice.where == "column 'review'"
    data = table_to_dataset(made, options=TableOptions(roles=finding.remedies[0].roles))
    assert data.n_words == len(words)
    names = [f"Mr. John {name} Smith" for name in range(N)]
    assert found("no model uses", **columns | {"review": names})[1] == []


def test_dates_alone_become_features_at_a_click():
    days = pd.date_range("2001-02-03", periods=N).strftime("%d.%m.%Y")
    made = frame_to_table(pd.DataFrame({"born": days, "won": RNG.integers(0, 2, N)}), "made")
    with pytest.raises(DataError, match="No feature is left") as caught:
        table_to_dataset(made)
    (remedy,) = caught.value.remedies
    data = table_to_dataset(made, options=TableOptions(roles=remedy.roles))
    assert data.feature_names == ("born",)
