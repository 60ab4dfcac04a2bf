"""The codes of what reading finds: each is listed in the guide, and none is used for two things."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lincore.checks.table_findings import find_table_problems
from lincore.errors import DataError
from lincore.io.table_files import read_table, table_to_dataset
from lincore.io.tables.column_selection import describe_columns
from lincore.io.tables.text.options import ReadOptions

ROOT = Path(__file__).parents[3]
CODE = re.compile(r"LIN\d{3}")


def test_every_code_is_listed_once_and_used_in_one_place():
    listed = re.findall(r"^\| (LIN\d{3}) ", (ROOT / "docs/findings.md").read_text(), re.MULTILINE)
    sources = [path.read_text() for path in (ROOT / "lincore/io").rglob("*.py")]
    used = [code for source in sources for code in CODE.findall(source)]
    assert sorted(used) == listed


def test_every_option_in_the_list_is_one():
    page = (ROOT / "docs/findings.md").read_text()
    cells = re.findall(r"^\| LIN\d{3} .*\| (.*) \|$", page, re.MULTILINE)
    named = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    assert named <= set(vars(ReadOptions()))


def test_what_is_said_of_a_table_has_its_code():
    rows = "".join(f"{i},{i}.5 kg,{'xy'[i % 2]}\n" for i in range(20))
    text = f"A title\nu,mass,kind\n{rows}1,2,3,4\n,,\nA note\n"
    notices = read_table(text.encode("cp1252"), "made.csv").notices
    assert [notice.code for notice in notices] == ["LIN010", "LIN020", "LIN021", "LIN030", "LIN042"]


def test_labels_with_an_identifier_behind_them_are_cut_at_one_click():
    kinds = ("negative", "sick", "negative")
    rows = "".join(f"{i},{i * 7 % 11}.5,{kinds[i % 3]}.|{3733 + 7 * i}\n" for i in range(90))
    raw = f"age,level,class\n{rows}".encode()
    table = read_table(raw, "made.csv")
    found = find_table_problems(table, describe_columns(table, "class"))
    (remedy,) = next(one.remedies for one in found if "identifier behind it" in one.notice.what)
    assert remedy.reading == {"cut_at": {"class": ".|"}}
    cut = read_table(raw, "made.csv", ReadOptions(**remedy.reading))
    data = table_to_dataset(cut, "class")
    assert data.classes.tolist() == ["negative", "sick"]
    assert data.counts.tolist() == [60, 30]
    assert "behind it" not in str(find_table_problems(cut, describe_columns(cut, "class")))
    with pytest.raises(DataError, match="no such column"):
        read_table(raw, "made.csv", ReadOptions(cut_at={"none": ".|"}))
