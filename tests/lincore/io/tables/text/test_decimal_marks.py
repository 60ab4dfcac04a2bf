"""Decimal and thousands marks: numbers written in either way come back as they were."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lincore.io import ReadOptions, read_table


def written(value: float, decimals: int, mark: str, grouped: bool) -> str:
    text = f"{value:,.{decimals}f}" if grouped else f"{value:.{decimals}f}"
    return text if mark == "." else text.translate(str.maketrans(",.", ".,"))


def table_of(columns: dict[str, list[str]], separator: str = ";", quote: str = ""):
    lines = [separator.join(f"{quote}{name}{quote}" for name in columns)]
    rows = zip(*columns.values(), strict=True)
    lines += [separator.join(f"{quote}{value}{quote}" for value in row) for row in rows]
    return read_table("\n".join(lines).encode(), "made.csv")


def notices_about(table, name):
    return [notice for notice in table.notices if notice.where == f"column {name!r}"]


@settings(deadline=None, max_examples=30)
@given(
    values=st.lists(st.floats(-2e6, 2e6), min_size=6, max_size=30),
    scale=st.sampled_from([1e-6, 1e-3, 1.0]),
    decimals=st.integers(0, 5),
    mark=st.sampled_from([".", ","]),
    grouped=st.booleans(),
    other=st.sampled_from(["3.14", "3,14", "x"]),
    separator=st.sampled_from([";", ",", "\t"]),
)
def test_numbers_of_either_kind_are_read_back(
    values, scale, decimals, mark, grouped, other, separator
):
    texts = [written(scale * value, decimals, mark, grouped) for value in values]
    # What could be either (7,094) is proved by another number of the same column.
    proof = scale * 0.25
    texts += [written(proof, max(decimals, 1), mark, grouped), f"-0{mark}345"]
    wanted = [round(scale * value, decimals) for value in values]
    wanted += [round(proof, max(decimals, 1)), -0.345]
    table = table_of(
        {"u": texts, "v": [other] * len(texts), "w": list("ab" * len(texts))[: len(texts)]},
        separator,
        quote='"' if separator == "," else "",
    )
    np.testing.assert_allclose(table.frame["u"].astype(float), wanted, atol=1e-12)
    assert notices_about(table, "u") == []


@pytest.mark.parametrize("separator", [";", ","])
@pytest.mark.parametrize("other", ["3.14", "3,14", "12"])
def test_a_fraction_of_three_digits_is_no_thousand(separator, other):
    texts = ["0,444", "7,094", "-0,345", "12,001"] * 3
    table = table_of({"u": texts, "v": [other] * 12, "w": list("ab" * 6)}, separator, '"')
    assert table.frame["u"].tolist() == [0.444, 7.094, -0.345, 12.001] * 3


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["1.234.567", "2.345", "999"], [1_234_567, 2_345, 999]),
        (["1,234,567", "2,345", "999"], [1_234_567, 2_345, 999]),
        (["1.234,50", "2.345,00", "7,10"], [1234.5, 2345, 7.1]),
        (["€ 1.234", "€ 2.345,5", "€ 7"], [1234, 2345.5, 7]),
        (["$7,094", "-$0,345", "$1,5"], [7.094, -0.345, 1.5]),
        (["(7,094)", "0,345", "1,5"], [-7.094, 0.345, 1.5]),
        (["7,094 kg", "0,345 kg", "1,5 kg"], [7.094, 0.345, 1.5]),
        (["+7.094", "-0.345", "1.5"], [7.094, -0.345, 1.5]),
        (["1 234,567", "7,094", "12"], [1234.567, 7.094, 12]),
        (["1234,567", "7,094", "12"], [1234.567, 7.094, 12]),
    ],
)
@pytest.mark.parametrize("other", ["3.14", "3,14", "12"])
def test_a_column_settles_by_its_own_evidence(texts, numbers, other):
    table = table_of({"u": texts * 4, "v": [other] * 12, "w": list("ab" * 6)})
    assert table.frame["u"].tolist() == numbers * 4


@pytest.mark.parametrize(
    ("separator", "other", "number", "is_said"),
    [
        # Columns settle together: the others prove the mark.
        (";", "3,14", 7.094, False),
        (";", "3.14", 7094, False),
        (",", "3,14", 7.094, False),
        (",", "3.14", 7094, False),
        # Nothing proves it: what was assumed is said.
        (";", "12", 7.094, True),
        (",", "12", 7094, True),
    ],
)
def test_what_may_be_either_is_settled_by_the_others_or_said(separator, other, number, is_said):
    columns = {"u": ["7,094", "8,123", "9,871"] * 4, "v": [other] * 12, "w": list("ab" * 6)}
    table = table_of(columns, separator, '"')
    assert table.frame["u"][0] == number
    said = notices_about(table, "u")
    assert bool(said) is is_said
    if is_said:
        assert "'7,094'" in said[0].what
        other_way = ReadOptions(decimal="." if number == 7.094 else ",")
        again = read_table(
            "\n".join(f'"{x}"{separator}{i}' for i, x in enumerate(columns["u"])).encode(),
            "made.csv",
            other_way,
        )
        assert again.frame.iloc[0, 0] == (7094 if number == 7.094 else 7.094)
        assert again.notices[1:] == ()


def test_two_ways_of_writing_in_one_file_are_said_where_a_column_may_be_either():
    columns = {"u": ["7,094", "8,123"] * 6, "v": ["3,14"] * 12, "w": ["2.5"] * 12}
    table = table_of(columns | {"kind": list("ab" * 6)})
    assert table.frame[["v", "w"]].iloc[0].tolist() == [3.14, 2.5]
    assert len(notices_about(table, "u")) == 1


def test_zeros_before_a_group_make_no_number():
    table = table_of({"u": ["0.444.000", "1.234.000"] * 5, "w": list("ab" * 5)})
    assert table.frame["u"].tolist() == ["0.444.000", "1.234.000"] * 5


@settings(deadline=None, max_examples=15)
@given(
    n_rows=st.integers(3, 20),
    blanks=st.lists(st.tuples(st.integers(0, 20), st.sampled_from(["", " ", "\r"])), max_size=4),
    separator=st.sampled_from([",", ";"]),
)
def test_blank_lines_in_a_quoted_table_change_nothing(n_rows, blanks, separator):
    assume(blanks)
    lines = ['"u","v","kind"'] + [f'"{i}","{i * i % 7}.5","{"ab"[i % 2]}"' for i in range(n_rows)]
    lines = [line.replace('","', f'"{separator}"') for line in lines]
    whole = read_table("\n".join(lines).encode(), "made.csv").frame
    for place, blank in blanks:
        lines.insert(min(place, len(lines) - 1) + 1, blank)
    table = read_table("\n".join(lines).encode(), "made.csv")
    assert table.frame.equals(whole)
    assert "Quotation" not in " ".join(map(str, table.notices))
