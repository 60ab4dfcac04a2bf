"""Columns: what they hold, what they are for, and what is suspicious about them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lincore
from lincore import DataError
from lincore.checks import find_table_problems
from lincore.io import (
    Bins,
    ReadOptions,
    TableOptions,
    describe_columns,
    frame_to_table,
    read_table,
    table_to_dataset,
)

RNG = np.random.default_rng(5)
N = 60
CLASSES = np.where(np.arange(N) % 3 == 0, "a", "b")
MEASURED = RNG.normal(size=N).round(3)


def table(**columns):
    return frame_to_table(pd.DataFrame({**columns, "class": CLASSES[: len(CLASSES)]}), "made")


def kind_of(values, name="made"):
    frame = pd.DataFrame({name: values})
    return frame_to_table(frame.assign(other=1), "made").contents[name].kind


def findings(made, **roles):
    columns = [
        column._replace(role=roles.get(column.name, column.role))
        for column in describe_columns(made)
    ]
    return find_table_problems(made, columns)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (MEASURED, "number"),
        (np.arange(N) % 7, "number"),
        (np.arange(N) + 1000, "identifier"),
        (np.full(N, 3), "constant"),
        (["x"] * (N - 1) + [None], "constant"),
        ([None] * N, "empty"),
        (["red", "green", "blue"] * 20, "category"),
        ([True, False] * 30, "category"),
        ([f"AB-{i:04d}" for i in range(N)], "identifier"),
        ([f"the {i} words of a long text" for i in range(N)], "text"),
        ([f"{1 + i % 28:02d}.03.2021" for i in range(N)], "date"),
        ([f"2021-03-{1 + i % 28:02d}T10:00:00Z" for i in range(N)], "date"),
        ([f"{i % 24}:30" for i in range(N)], "date"),
        (pd.date_range("2020-01-01", periods=N), "date"),
    ],
)
def test_the_kind_of_a_column(values, kind):
    assert kind_of(values) == kind


def test_a_counter_in_several_runs_names_rows_only_where_it_is_called_so():
    runs = np.tile(np.arange(1, 21), 3)
    assert kind_of(runs, "Sample Number") == "identifier"
    assert kind_of(runs, "height") == "number"


def test_the_widest_whole_numbers_do_not_overflow():
    ends = np.array([-(2**63), 2**63 - 1, 0, 5])
    assert kind_of(ends) == "number"


def test_words_are_features_only_where_there_is_nothing_else():
    text = [f"the {i} words of a long text" for i in range(N)]
    assert [c.role for c in describe_columns(table(t=text))] == ["text", "target"]
    assert [c.role for c in describe_columns(table(t=text, u=MEASURED))] == [
        "ignore",
        "feature",
        "target",
    ]


def test_roles_are_overruled():
    made = table(u=MEASURED, v=MEASURED + 1, who=["x", "y", "z"] * 20)
    data = table_to_dataset(made, options=TableOptions(roles={"v": "ignore", "who": "group"}))
    assert data.feature_names == ("u",)
    assert data.group_names == ("x", "y", "z")
    assert data.groups.tolist() == [0, 1, 2] * 20


def test_a_row_of_no_group_is_a_group_of_its_own():
    who = ["x", "y", None] * 20
    data = table_to_dataset(
        table(u=MEASURED, who=who), options=TableOptions(roles={"who": "group"})
    )
    assert len(set(data.groups.tolist())) == 2 + 20 == len(data.group_names)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"roles": {"u": "important"}}, "no role 'important'"),
        ({"roles": {"w": "ignore"}}, "no such column"),
        ({"roles": {"u": "group", "v": "group"}}, "one column each of groups"),
        ({"roles": {"u": "target"}, "target": "class"}, "one target"),
        ({"roles": {"u": "ignore", "v": "ignore"}}, "No feature is left"),
        ({"missing": "mean"}, "no imputation method"),
        ({"bins": 3}, "Only numbers can be binned"),
        ({"target": "u", "bins": 1}, "1 bins by"),
    ],
)
def test_choices_that_cannot_be_are_refused(choices, message):
    with pytest.raises(DataError, match=message) as caught:
        options = TableOptions(**{k: value for k, value in choices.items() if k != "target"})
        table_to_dataset(table(u=MEASURED, v=MEASURED + 1), choices.get("target"), options)
    assert caught.value.notice.remedy


def test_missing_rows_are_left_out_on_request():
    gaps = np.where(np.arange(N) < 5, np.nan, MEASURED)
    data = table_to_dataset(
        table(u=gaps, v=["x", "y", "z"] * 20), options=TableOptions(missing="drop")
    )
    assert data.n_rows == N - 5
    assert not data.has_missing
    assert "5 of 60 rows have a missing value" in str(data.notices[0])


def test_numbers_as_names_of_levels():
    data = table_to_dataset(table(u=np.arange(N) % 3 + 1), options=TableOptions(categories=["u"]))
    assert data.levels == (("1", "2", "3"),)


def test_a_date_counts_days_where_it_is_made_a_feature():
    days = pd.Series(pd.date_range("1970-01-02", periods=N)).dt.strftime("%d.%m.%Y")
    data = table_to_dataset(table(d=days, u=MEASURED), options=TableOptions(roles={"d": "feature"}))
    np.testing.assert_array_equal(data.X[:, 0], np.arange(1, N + 1))


def test_a_day_stands_before_the_month_unless_it_cannot():
    for texts, days in (
        (["01/02/1970", "03/02/1970"], [31.0, 33.0]),
        (["01/02/1970", "01/13/1970"], [1.0, 12.0]),
    ):
        made = frame_to_table(pd.DataFrame({"d": texts, "class": ["a", "b"]}), "made")
        options = TableOptions(roles={"d": "feature"})
        assert table_to_dataset(made, "class", options).X[:, 0].tolist() == days


@settings(max_examples=30)
@given(st.lists(st.one_of(st.none(), st.text(max_size=12)), min_size=2, max_size=8))
def test_any_text_is_a_date_or_not_and_has_levels(values):
    frame = pd.DataFrame({"made": pd.Series(values, dtype="str"), "u": range(len(values))})
    made = frame_to_table(frame.assign(y=np.arange(len(values)) % 2), "made")
    assert made.contents["made"].kind
    data = table_to_dataset(made, "y", TableOptions(categories=("made",), roles={"u": "feature"}))
    if "made" in data.feature_names:
        place = data.feature_names.index("made")
        assert np.isnan(data.X[:, place]).sum() == frame["made"].isna().sum()
        assert len(set(data.levels[place])) == len(data.levels[place])


def test_yes_and_no_in_any_capitals_are_two_levels():
    answers = table(u=MEASURED, v=["yes", "Yes", "NO", "no"] * 15)
    data = table_to_dataset(answers)
    assert len(data.levels[1]) == 2
    assert "LIN056" in [notice.code for notice in data.notices]
    data = table_to_dataset(answers, options=TableOptions(categories=("v",)))
    assert data.levels[1] == ("NO", "no", "Yes", "yes")
    assert "LIN056" not in [notice.code for notice in data.notices]


def binned(values, bins):
    frame = pd.DataFrame({"u": np.arange(len(values)), "y": values})
    return lincore.load(frame, target="y", bins=bins, roles={"u": "feature"})


def test_bins_of_equally_many_rows_have_names_in_order():
    data = binned(np.arange(90.0), 3)
    assert data.counts.tolist() == [30, 30, 30]
    assert data.classes.tolist() == ["below 30", "30 to below 60", "60 and above"]


def test_bins_of_equal_width():
    assert binned([0.0, 1.0, 2.0, 9.0, 10.0], Bins(2, "width")).codes.tolist() == [0, 0, 0, 1, 1]


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40), st.integers(2, 6))
def test_bins_keep_the_order_of_the_values(values, n):
    values = np.array(values)
    try:
        data = binned(values, n)
    except DataError as error:
        assert error.notice.remedy
    else:
        assert (np.diff(data.codes[np.argsort(values, kind="stable")]) >= 0).all()
        assert data.counts.min() > 0


def test_a_quantity_is_refused_with_bins_that_work():
    made = table(u=MEASURED, v=MEASURED + 1)
    with pytest.raises(DataError, match="looks like a quantity") as caught:
        table_to_dataset(made, "u")
    data = table_to_dataset(made, "u", TableOptions(**caught.value.remedies[1].options))
    assert data.n_classes == 3
    assert data.counts.tolist() == [20, 20, 20]


def many_classes(labels):
    return frame_to_table(pd.DataFrame({"u": RNG.normal(size=len(labels)), "who": labels}), "made")


@pytest.mark.parametrize("label", ["person {}", "{}"])
def test_a_chosen_target_may_have_many_classes_of_few_rows(label):
    labels = [label.format(i % 60) for i in range(480)]
    made = many_classes(labels if label != "{}" else [int(name) for name in labels])
    data = table_to_dataset(made, "who")
    assert data.counts.tolist() == [8] * 60
    told = [finding.notice.code for finding in findings(made, who="target")]
    assert ("LIN071" in told) == (label == "{}"), "numbers may be binned"


def test_values_of_a_single_row_are_left_out_at_a_click_if_they_are_few():
    labels = [f"person {i % 60}" for i in range(480)]
    with pytest.raises(DataError, match="names or free text") as caught:
        table_to_dataset(many_classes([*labels, "extra 1", "extra 2"]), "who")
    (hint,) = caught.value.remedies
    assert hint.label == "Leave out the 2 values of a single row"
    data = table_to_dataset(
        many_classes([*labels, "extra 1", "extra 2"]), "who", TableOptions(**hint.options)
    )
    assert data.counts.tolist() == [8] * 60
    with pytest.raises(DataError, match="names or free text") as caught:
        table_to_dataset(many_classes([f"person {i}" for i in range(480)]), "who")
    assert not caught.value.remedies


def test_what_gives_the_class_away_is_told_and_ignored_at_one_click():
    code = {"a": ["k", "l"], "b": ["m", "n", "o"]}
    spelled = [code[label][i % len(code[label])] for i, label in enumerate(CLASSES)]
    made = table(u=MEASURED, spelled=spelled)
    found = [f for f in findings(made) if "alone predicts" in f.notice.what]
    assert [f.notice.where for f in found] == ["column 'spelled'"]
    roles = {name: role for f in found for name, role in f.remedies[0].roles.items()}
    assert table_to_dataset(made, options=TableOptions(roles=roles)).feature_names == ("u",)


def test_an_honest_feature_does_not_give_the_class_away():
    rare = np.where(RNG.random(N) < 0.9, CLASSES, "c")
    assert not [f for f in findings(table(u=MEASURED, v=rare)) if "alone" in f.notice.what]


def test_an_identifier_or_a_constant_as_a_feature_is_told():
    made = table(u=MEASURED, key=np.arange(N), same=np.full(N, 3))
    found = findings(made, key="feature", same="feature")
    assert [f.notice.where for f in found] == ["column 'key'", "column 'same'"]
    assert found[0].remedies[0].roles == {"key": "ignore"}


def test_a_class_of_one_row_is_left_out_or_merged():
    made = frame_to_table(pd.DataFrame({"u": [1.5, 2, 2.5, 3, 9], "class": list("aabbc")}), "made")
    (finding,) = findings(made)
    drop, merge = finding.remedies
    fewer = table_to_dataset(made, options=TableOptions(**drop.options))
    assert fewer.classes.tolist() == ["a", "b"]
    merged = table_to_dataset(made, options=TableOptions(**merge.options))
    assert merged.n_rows == 5
    assert merged.n_classes == 2


def test_repeated_rows_are_kept_once_on_request():
    made = frame_to_table(pd.DataFrame({"u": [1.5, 1.5, 2, 2, 2], "class": list("aabba")}), "made")
    (finding,) = findings(made)
    assert finding.notice.what.startswith("2 rows are duplicates")
    assert table_to_dataset(made, options=TableOptions(**finding.remedies[0].options)).n_rows == 3


def test_zeros_that_stand_for_nothing_are_read_as_missing_at_one_click():
    pressure = np.where(np.arange(N) % 10 == 0, 0, RNG.integers(60, 100, N))
    raw = pd.DataFrame({"pressure": pressure, "class": CLASSES}).to_csv(index=False).encode()
    (finding,) = [f for f in findings(read_table(raw, "m.csv")) if "missing" in f.notice.what]
    again = read_table(raw, "m.csv", ReadOptions(**finding.remedies[0].reading))
    assert again.frame["pressure"].isna().sum() == 6


@pytest.mark.parametrize(
    ("values", "number"),
    [
        ([*range(20, 40), -200, -200], -200.0),
        ([*range(20, 40), 999, 999], 999.0),
        ([*range(20, 40), -200], None),
        (range(40), None),
        ([0] * 15 + list(range(1, 15)) * 3, None),
        (RNG.normal(size=99), None),
    ],
)
def test_numbers_that_may_mean_missing(values, number):
    kind = np.resize(["a", "b"], len(values))
    made = frame_to_table(pd.DataFrame({"u": list(values), "class": kind}), "made")
    found = [one for one in findings(made) if "missing" in one.notice.what]
    codes = [one.remedies[0].reading["missing_in"]["u"] for one in found]
    assert codes == ([] if number is None else [(number,)])


def test_values_marked_as_missing_in_one_column_alone():
    options = ReadOptions(missing_in={"u": (0,), "v": ("none",)})
    made = read_table(b"u,v,w,class\n0,none,0,a\n1,x,1,b\n2,x,2,a\n", "made.csv", options)
    assert made.frame.isna().sum().to_dict() == {"u": 1, "v": 1, "w": 0, "class": 0}
    with pytest.raises(DataError, match="no such column"):
        read_table(b"u,class\n0,a\n", "made.csv", ReadOptions(missing_in={"x": (0,)}))


@pytest.mark.parametrize(
    ("edges", "classes", "counts"),
    [
        ((12.5,), ["below 12.5", "12.5 and above"], [13, 7]),
        ((15, 5), ["below 5", "5 to below 15", "15 and above"], [5, 10, 5]),
        ((5, 99), ["below 5", "5 and above"], [5, 15]),
    ],
)
def test_a_numeric_target_is_cut_at_thresholds_of_ones_own(edges, classes, counts):
    grades = pd.DataFrame({"u": np.arange(20.0) ** 2, "grade": np.arange(20)})
    data = lincore.load(grades, target="grade", bins=edges)
    assert data.classes.tolist() == classes and data.counts.tolist() == counts


@pytest.mark.parametrize("edges", [(), (40,), (np.nan,), (-3.0, 21.0)])
def test_thresholds_that_leave_one_class_are_refused(edges):
    grades = pd.DataFrame({"u": np.arange(20.0) ** 2, "grade": np.arange(20)})
    with pytest.raises(DataError, match="threshold"):
        lincore.load(grades, target="grade", bins=edges)
