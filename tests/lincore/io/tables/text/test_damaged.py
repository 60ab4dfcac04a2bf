"""Damaged files: what is read of each class of damage, and what is said of it."""

from __future__ import annotations

import numpy as np
import pytest

from lincore import DataError
from lincore.io import ReadOptions, Table, read_table
from tests.lincore.io.tables.text import damaged

AS_TEXT = ReadOptions(as_text=True)
# Cells of the damaged row that cannot be told: where two fields run together, both are lost.
LOST = {
    "a separator too few": 3,
    "a stray quotation mark": 3,
    "no quotation marks in a row": 2,
    "a line break in a field": 1,
}


def read(text: str | bytes, **options) -> Table:
    raw = text if isinstance(text, bytes) else text.encode()
    return read_table(raw, "made.csv", ReadOptions(**options))


def n_wrong(found: Table, rows: list[list[str]]) -> int:
    got = found.frame.astype(object).where(found.frame.notna(), "").to_numpy()
    if len(got) == len(rows) - 1 and found.reading.uneven[0].outcome == "left out":
        return len(rows[0])
    assert got.shape == (len(rows), len(rows[0]))
    return int((got != np.array(rows, dtype=object)).sum())


def of_kind() -> dict[str, list[damaged.Damaged]]:
    kinds: dict[str, list[damaged.Damaged]] = {}
    for one in damaged.of_single_rows(step=25):
        kinds.setdefault(one.kind, []).append(one)
    return kinds


SINGLE = of_kind()
WHOLE = {one.kind: one for one in damaged.of_whole_files()}


@pytest.mark.parametrize("kind", SINGLE)
def test_one_damaged_row_costs_no_other(kind):
    wrong = []
    for one in SINGLE[kind]:
        found = read_table(one.raw, "made.csv", AS_TEXT)
        assert list(found.frame) == one.names
        wrong.append(n_wrong(found, one.rows))
    assert np.mean(wrong) <= LOST.get(kind, 0)


@pytest.mark.parametrize("kind", WHOLE)
def test_whole_files_are_read_as_they_are_meant(kind):
    one = WHOLE[kind]
    found = read_table(one.raw, "made.csv", AS_TEXT)
    assert list(found.frame) == one.names
    assert n_wrong(found, one.rows) == 0


GOOD = "".join(f"{i},{'xyz'[i % 3]},{i}.5\n" for i in range(20))


def test_lines_that_are_too_long_are_left_out_cut_or_mended():
    text = f"u,kind,v\n{GOOD}20,x,,0.5\n21,a,b,c\n"
    mended = read(text)
    assert len(mended.frame) == 21
    assert mended.frame["v"].dtype == np.float64
    assert [(one.number, one.text, one.outcome) for one in mended.reading.uneven] == [
        (22, "20,x,,0.5", "mended"),
        (23, "21,a,b,c", "left out"),
    ]
    assert "21,a,b,c" in str(mended.notices)
    assert len(read(text, uneven="skip").frame) == 20
    kept = read(text, uneven="keep")
    assert kept.frame.iloc[-1].tolist() == [21, "a", "b"]
    assert kept.reading.uneven[1].outcome == "cut"


def test_short_lines_are_left_out_on_demand_and_else_filled_up():
    text = f"u,kind,v\n{GOOD}20,x\n"
    found = read(text)
    assert len(found.frame) == 21
    assert found.reading.uneven[0].outcome == "filled up"
    assert len(read(text, uneven="skip").frame) == 20


def test_only_where_most_lines_disagree_is_a_file_refused():
    long = "1,2,3,4\n"
    assert len(read(f"u,kind,v\n{GOOD}{long * 19}").frame) == 20
    with pytest.raises(DataError, match="5 fields; there are 3 columns. At least") as caught:
        read("u,kind,v\n" + "1,2,3\n1,2,3,4,5\n" * 9 + "1,2,3,4\n" * 2)
    assert caught.value.notice.remedy


def test_a_field_too_many_in_the_first_row_shifts_nothing():
    found = read("a,b,kind,d\n1,,2,x,\n" + "".join(f"{i},5,x,\n" for i in range(6)))
    assert found.frame.iloc[0, :3].tolist() == [1, 2, "x"]


def test_text_between_unpaired_marks_goes_on_over_no_line():
    rows = "".join(f'{i},"text {i}",{i}.5\n' for i in range(30))
    found = read(f'u,words,v\n{rows}30,"open,7.5\n{rows}')
    assert len(found.frame) == 61
    assert found.frame["words"][30] == '"open'
    assert found.frame["v"].tolist()[30] == 7.5
    legit = read('u,words,v\n1,"two\n\nlines, and, more",2.5\n' + rows)
    assert legit.frame["words"][0] == "two\n\nlines, and, more"
    assert legit.reading.uneven == ()


def test_the_second_table_is_offered():
    text = f"u,kind,v\n{GOOD}\nname,size\na,1\nb,2\nc,3\n"
    found = read(text)
    assert found.frame.shape == (20, 3)
    assert found.reading.n_tables == 2
    assert "2 tables are stacked" in str(found.notices)
    assert read(text, table=2).frame.to_dict("list") == {"name": ["a", "b", "c"], "size": [1, 2, 3]}
    with pytest.raises(DataError, match="no table 3"):
        read(text, table=3)
    apart = read(f"u,kind,v\n{GOOD}\n{GOOD}")
    assert apart.reading.n_tables == 1
    assert len(apart.frame) == 40


def test_other_names_between_rows_of_numbers_begin_a_table():
    first = "length,count,kind\n" + "".join(f"{i}.5,{i},{'ab'[i % 2]}\n" for i in range(40))
    second = "price,stock,colour\n" + "".join(f"{i}.25,{i},red\n" for i in range(9))
    found = read(first + second)
    assert found.frame.shape == (40, 3) and found.reading.n_tables == 2
    assert list(read(first + second, table=2).frame) == ["price", "stock", "colour"]
    # Words that mean a missing value, and the same header again, are none.
    for row in ("unknown,none,a\n", "none,none,c\n", "length,count,kind\n"):
        assert read(f"{first}{row}5,6,b\n6,7,b\n7,8,b\n").reading.n_tables == 1


@pytest.mark.parametrize(
    "first", ["28/01/2018,Desk,$74.69", "2018-01-28,Desk,12 %", "9:30,Desk,1 200 €"]
)
def test_dates_amounts_and_percentages_are_values_and_no_names(first):
    day, _, money = first.split(",")
    rows = "".join(f"{day},Thing {i},{money}\n" for i in range(9))
    found = read(f"{first}\n{rows}")
    assert found.reading.header_line is None
    assert len(found.frame) == 10
    named = read(f"day,thing,money\n{rows}")
    assert list(named.frame) == ["day", "thing", "money"]
    over_numbers = read(
        "region,28/01/2018,29/01/2018\n" + "".join(f"r{i},{i},2\n" for i in range(9))
    )
    assert over_numbers.reading.header_line == 1


def test_a_header_longer_than_the_rows_goes_with_padded_numbers():
    found = read("a,b,kind,d,e\n" + "".join(f"{i},01,x\n" for i in range(6)))
    assert found.frame.shape == (6, 5)
    assert found.frame[["d", "e"]].isna().all(axis=None)


def test_cells_stay_as_they_are_on_demand():
    text = "size,price,code,gap\n1.50 kg,$3.20,007,NA\n2.00 kg,?,010,-\n,,,\nTotal,3,4,5\n"
    frame = read(text, as_text=True).frame
    assert frame.iloc[0].tolist() == ["1.50 kg", "$3.20", "007", "NA"]
    assert frame.iloc[1].tolist() == ["2.00 kg", "?", "010", "-"]
    assert frame.iloc[2].isna().all()
    assert len(frame) == 4


def test_no_message_speaks_of_a_parser():
    with pytest.raises(DataError) as caught:
        read('u,kind\n1,"a\n2,"b,c\n3,"d,e\n')
    assert "EOF" not in str(caught.value)
    assert "quotation marks" in caught.value.notice.remedy


@pytest.mark.parametrize("options", [{"uneven": "drop"}, {"table": 0}, {"table": "b"}])
def test_options_that_cannot_be_are_refused(options):
    with pytest.raises(DataError, match="option"):
        ReadOptions(**options)


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("LIN030", "u,v,w\n1,2,a\n,,\n3,4,b\n", 3),
        ("LIN031", "u,v,w\n1,2,a\nu,v,w\n3,4,b\n", 3),
        ("LIN032", "u,v,w\n" + "1,2,a\n" * 6 + "6,12,Total\n", 7),
        ("LIN020", "u,v,w\n1,2,a\n3,4,b\nby hand\n", 3),
        ("LIN013", "u,v,w\ncm,mm,\n1,2,a\n3,4,b\n", 3),
    ],
)
def test_decisions_about_rows_are_overruled_one_by_one(code, text, expected):
    assert code in {one.code for one in read(text).notices}
    found = read(text, overrule=(code,))
    assert len(found.frame) == expected
    assert code not in {one.code for one in found.notices}


@pytest.mark.parametrize(
    ("code", "values", "expected"),
    [
        ("LIN040", ["007", "010", "7"], "int64"),
        ("LIN042", ["$1", "$2", "$3"], "str"),
        ("LIN043", ["(1)", "2", "3"], "str"),
    ],
)
def test_decisions_about_columns_are_overruled_one_by_one(code, values, expected):
    text = "u,v\n" + "".join(f"{value},a\n" for value in values)
    assert code in {one.code for one in read(text).notices}
    found = read(text, overrule=[code])
    assert found.frame["u"].dtype == expected
    assert code not in {one.code for one in found.notices}


def test_what_cannot_be_overruled_is_refused():
    for wrong in (("LIN999",), "LIN032"):
        with pytest.raises(DataError, match="option overrule"):
            ReadOptions(overrule=wrong)
