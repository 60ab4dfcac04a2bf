"""Workbooks, JSON, ARFF and zips of tables: the same table from each, and one of several chosen."""

from __future__ import annotations

import base64
import datetime
import io
import json
import zipfile
import zlib

import numpy as np
import openpyxl
import pandas as pd
import pytest

from lincore import DataError
from lincore.io import ReadOptions, load, read_table, recognise_file

HEAD = ["day", "length", "count", "code", "kind"]
ROWS = [
    [datetime.datetime(2024, 1, i + 1), i * 1.37, i % 4, f"00{i % 3}", "ab"[i % 2]]
    for i in range(20)
]


def book(sheets: dict[str, list[list]]) -> bytes:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, rows in sheets.items():
        sheet = made.create_sheet(name)
        for row in rows:
            sheet.append(row)
    stream = io.BytesIO()
    made.save(stream)
    return stream.getvalue()


def zipped(files: dict[str, str | bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            stored = zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED
            archive.writestr(name, content, stored)
    return stream.getvalue()


def open_document(rows: list[list]) -> bytes:
    def cell(value) -> str:
        if isinstance(value, str):
            return (
                f'<table:table-cell office:value-type="string"><text:p>{value}</text:p>'
                "</table:table-cell>"
            )
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'

    lines = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    names = "".join(
        f' xmlns:{word}="urn:oasis:names:tc:opendocument:xmlns:{word}:1.0"'
        for word in ("office", "table", "text")
    )
    content = (
        f'<?xml version="1.0"?><office:document-content{names}><office:body><office:spreadsheet>'
        f'<table:table table:name="one">{lines}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    manifest = (
        '<?xml version="1.0"?><manifest:manifest '
        'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        "</manifest:manifest>"
    )
    return zipped({"mimetype": kind, "content.xml": content, "META-INF/manifest.xml": manifest})


def check(frame) -> None:
    assert list(frame) == HEAD
    assert frame["day"].tolist() == [f"2024-01-{i + 1:02}" for i in range(20)]
    np.testing.assert_allclose(frame["length"], [i * 1.37 for i in range(20)], rtol=1e-15)
    assert frame["count"].tolist() == [i % 4 for i in range(20)]
    assert frame["code"].tolist() == [f"00{i % 3}" for i in range(20)]
    assert frame["kind"].tolist() == ["ab"[i % 2] for i in range(20)]


def test_the_sheet_with_the_largest_table_is_proposed_and_any_may_be_chosen():
    small = [["u", "v"], [1, "a"], [2, "b"], [3, "a"]]
    raw = book({"Cover": [["Sales of 2024"]], "small": small, "Rows": [HEAD, *ROWS]})
    table = read_table(raw, "made.xlsx")
    check(table.frame)
    assert str(table.reading) == "workbook, sheet Rows, header in row 1, 20 rows of 5 columns"
    assert table.reading.sheets == ("Cover", "small", "Rows")
    assert "'Rows' was read" in str(table.notices)
    chosen = read_table(raw, "made.xlsx", ReadOptions(sheet="small"))
    assert chosen.frame.to_dict("list") == {"u": [1, 2, 3], "v": ["a", "b", "a"]}
    with pytest.raises(DataError, match="no sheet 'none'.*Cover, small, Rows"):
        read_table(raw, "made.xlsx", ReadOptions(sheet="none"))
    assert load(raw, name="made.xlsx", target="kind").counts.tolist() == [10, 10]


def test_titles_totals_gaps_and_second_tables_of_a_sheet():
    below = [[], ["name", "size"], ["x", 1], ["y", 2], ["z", 3]]
    total = [["Total", sum(row[1] for row in ROWS), sum(row[2] for row in ROWS), None, None]]
    table = read_table(book({"a": [[], ["Sales"], [], HEAD, *ROWS, *total]}), "made.xlsx")
    check(table.frame)
    assert table.reading.header_line == 4
    assert table.place(0) == "line 5"
    raw = book({"a": [["u", "v", "w"], *([i, i + 0.5, "ab"[i % 2]] for i in range(9)), *below]})
    assert read_table(raw, "made.xlsx").frame.shape == (9, 3)
    other = read_table(raw, "made.xlsx", ReadOptions(table=2)).frame
    assert other.iloc[:, :2].to_dict("list") == {"name": ["x", "y", "z"], "size": [1, 2, 3]}


def test_a_sheet_of_libreoffice():
    rows = [[f"2024-01-{i + 1:02}", *row[1:]] for i, row in enumerate(ROWS)]
    table = read_table(open_document([HEAD, *rows]), "made.ods")
    check(table.frame)
    assert table.reading.sheet == "one"


# u, k over 1, a; 2.5, b; 3, a as Excel 97 writes it.
OLD = (
    "c-rk)J!lj`6#iy+FZW||*^3u35yBBLYD^<GHp!}>sSMFZ5kc>gE9AmO4lT6MXuMJotQ4C-8k?w%|AlrILPQHe5bm"
    "^0B`8=Vx4!pwHeTWtIn<ys-!gCBz4>P5-OQV}Kd<Lgm6`k9Rjk4gY}EWXTIy_yN<94Gg4%tb)v%6H@eTed#ACFPE"
    "fG9zdllt9<o&L~!ae5&N#G-u6F7sB$zndUj@U0gWEJ}`NK)Z8S(4}yuR27IiQFjit}vg8+$)xAA_s|EQO7awjr8x"
    ")QGCqmm9`{!+=tTVy;ydk6E8W6FI`swH-deo)7go?v!Tan#VlywhV#XIDLYX?nl^A2U;Pa5B|NFmGseEYb_KG3TW"
    "OCru-~v8U<&>z3GgyD;EByGHt4i1Vl(YC-~^fX9F+o<ER|e>GqIdpcg4wVlZb95IgWPGQxexM<>tjZpWhtHjd~}="
    "G9}qM$mv_z4fwdsJ*ab1S{#wg?H9RI<P{lpi|E}V)8r-9eWRUPIXEqxtJ2y>^XwM9^|saN+et4k9DdYO{^ac-eQv"
    "mVAwBobn?Wz#W5%gJU(*;+1M1dI#$zw6l|KI;M0Wj@3u2b5efRZ^s~t;7h?)`^{NmM7ny*&zFIow)rDR>1ua;Mn`"
    "BnqICHw_D;0LR3YrfrpZwo)E$G4ZqAF?{|fECJQKahZdfq{X6fq{X6!LLH;XM9^f@kjKVL{xv*S)x)ipGp2(9Kj@"
    "AXX(ZC0E$$XaK5Sd*@TD+$5LzT6Mipb9HrSyC?F?(6q=4-dJ|Oj|7Xn|-QRbFnw`JajGupa{_kFT!wd"
)


def test_an_old_workbook():
    raw = zlib.decompress(base64.b85decode(OLD))
    frame = read_table(raw, "made.xls").frame
    assert frame.to_dict("list") == {"u": [1, 2.5, 3], "k": ["a", "b", "a"]}
    assert recognise_file(raw, "made.xls")[0] == "table"


def test_no_sheet_with_a_table_is_told():
    with pytest.raises(DataError, match="No sheet of the workbook contains a table"):
        read_table(book({"a": [["one"], ["column"]]}), "made.xlsx")


def test_one_of_several_tables_in_a_zip_is_chosen():
    small, large = "u,k\n1,a\n2,b\n", "u,k\n" + "1,a\n2,b\n" * 9
    raw = zipped({"in/a.csv": small, "in/b.csv": large, "README.md": "words"})
    kind, same, name = recognise_file(raw, "made.zip")
    assert (kind, same, name) == ("table", raw, "made.zip")
    table = read_table(raw, "made.zip")
    assert len(table.frame) == 18
    assert table.reading.sheets == ("in/a.csv", "in/b.csv")
    assert len(read_table(raw, "made.zip", ReadOptions(sheet="in/a.csv")).frame) == 2
    with pytest.raises(DataError, match="no table 'c.csv'"):
        read_table(raw, "made.zip", ReadOptions(sheet="c.csv"))
    assert recognise_file(zipped({"in/a.csv": small}), "made.zip") == (
        "table",
        small.encode(),
        "a.csv",
    )


RECORDS = [{"u": i, "v": i / 4, "at": {"x": i}, "kind": "ab"[i % 2], "gap": None} for i in range(9)]


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(RECORDS),
        json.dumps({"made": "by me", "rows": RECORDS}),
        "\n".join(map(json.dumps, RECORDS)),
        "\ufeff" + json.dumps(RECORDS, indent=1),
    ],
)
def test_records_in_json(text):
    table = read_table(text.encode(), "made.json")
    assert list(table.frame) == ["u", "v", "at.x", "kind", "gap"]
    assert table.frame["v"].tolist() == [i / 4 for i in range(9)]
    assert str(table.reading) == "JSON, 9 rows of 5 columns"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"status": "ok", "count": 9, "data": {"items": RECORDS}}),
        *(
            pd.DataFrame(
                {name: [one[name] for one in RECORDS] for name in ("u", "v", "kind")}
            ).to_json(orient=orient)
            for orient in ("split", "columns", "index", "records", "table")
        ),
    ],
)
def test_records_within_json_and_as_pandas_writes_them(text):
    frame = read_table(text.encode(), "made.json").frame
    assert frame["v"].tolist() == [i / 4 for i in range(9)]
    assert frame["kind"].tolist() == [one["kind"] for one in RECORDS]


def test_records_within_records_of_json_are_columns():
    rows = [{"place": {"town": {"name": "Köln"}}, "tags": ["ö"], "n": i} for i in range(3)]
    frame = read_table(json.dumps(rows).encode(), "made.json").frame
    assert frame["place.town.name"].tolist() == ["Köln"] * 3
    assert frame["tags"].tolist() == ['["ö"]'] * 3


def test_a_cell_merged_over_rows_holds_for_all_of_them():
    made = openpyxl.Workbook()
    sheet = made.active
    sheet.append(["group", "size", None, "kind"])
    sheet.append([None, "before", "after", None])
    sheet.merge_cells("A1:A2")
    for i in range(20):
        sheet.append([f"g{i // 5}" if i % 5 == 0 else None, i * 1.5, i * 2.5, "ab"[i % 2]])
    for first in range(3, 23, 5):
        sheet.merge_cells(start_row=first, end_row=first + 4, start_column=1, end_column=1)
    stream = io.BytesIO()
    made.save(stream)
    frame = read_table(stream.getvalue(), "made.xlsx").frame
    assert list(frame) == ["group", "size before", "size after", "kind"]
    assert frame["group"].tolist() == [f"g{i // 5}" for i in range(20)]


def test_columns_in_json_and_values_of_several_kinds():
    frame = read_table(b'{"u": [1, 2, null], "k": ["a", 5, [1]]}', "made.json").frame
    assert frame["u"].tolist()[:2] == [1, 2]
    assert frame["k"].tolist() == ["a", "5", "[1]"]


def test_arff_keeps_names_gaps_and_lines():
    text = (
        "% made by me\n@RELATION iris\n\n@ATTRIBUTE 'sepal length' REAL\n@attribute n numeric\n"
        "@ATTRIBUTE class {a, 'b c'}\n\n@DATA\n5.1,3,a\n% a comment\n4.9,?,'b c'\n5.0,1,a\n"
    )
    table = read_table(text.encode(), "iris.arff")
    assert list(table.frame) == ["sepal length", "n", "class"]
    assert table.frame["class"].tolist() == ["a", "b c", "a"]
    assert table.frame["n"].isna().tolist() == [False, True, False]
    with pytest.raises(DataError, match="sparse"):
        read_table(b"@relation r\n@attribute u real\n@attribute v real\n@data\n{0 1}\n", "a.arff")


@pytest.mark.parametrize(
    "head",
    [
        [["C#size", "cD#kind", "mS#name"]],
        [["size", "kind", "name"], ["c", "d", "s"], [None, "class", "meta"]],
        [["size", "kind", "name"], ["continuous", "a b", "string"], [None, "class", "meta"]],
    ],
)
def test_types_and_roles_of_orange_are_used_in_a_workbook(head):
    rows = [[i, "ab"[i % 2], f"n{i}"] for i in range(12)]
    data = load(book({"one": [*head, *rows]}), name="made.xlsx")
    assert (data.target_name, data.feature_names) == ("kind", ("size",))
    assert data.counts.tolist() == [6, 6]


def test_formulas_without_stored_values_are_told_with_the_remedy():
    """Programs that write workbooks without calculating leave such formulas."""
    rows = [[i, i * 7 % 11, f"=A{i + 2}+B{i + 2}", "ab"[i % 2]] for i in range(20)]
    data = load(book({"data": [["x", "y", "sum", "kind"], *rows]}), name="sums.xlsx", target="kind")
    (notice,) = (notice for notice in data.notices if notice.code == "LIN005")
    assert notice.what.startswith("20 formulas of the workbook have no stored value")
    assert "Open the workbook in a spreadsheet program" in notice.remedy
    calculated = [["=A1"] * 3 for _ in range(20)]
    with pytest.raises(DataError, match=r"60 formulas .* no stored value.* Open the workbook"):
        load(book({"data": [["x", "y", "kind"], *calculated]}), name="sums.xlsx", target="kind")


def test_formulas_with_an_empty_text_have_a_stored_value():
    raw = book({"data": [["x", "kind"], *([i, "ab"[i % 2]] for i in range(20)), [20, "=A1"]]})
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    sheet = files["xl/worksheets/sheet1.xml"]
    assert b'<c r="B22"><f>' in sheet
    files["xl/worksheets/sheet1.xml"] = sheet.replace(b'<c r="B22">', b'<c r="B22" t="str">')
    data = load(zipped(files), name="texts.xlsx", target="kind")
    assert "LIN005" not in {notice.code for notice in data.notices}
