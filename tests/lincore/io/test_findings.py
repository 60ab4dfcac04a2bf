"""The codes of what reading finds: each is listed in the guide, and none is used for two things."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from lincore import DataError
from lincore.checks import find_table_problems, image_decisions, with_decisions
from lincore.errors import Notice
from lincore.io import (
    DetectedOptions,
    ImageOptions,
    ReadOptions,
    TableOptions,
    describe_columns,
    frame_to_table,
    load,
    read_table,
    table_to_dataset,
)

ROOT = Path(__file__).parents[3]
GIVING = ("Notice", "_leave_out", "note", "rows_left_out")
CODE = re.compile(r"LIN\d{3}")
PAGE = (ROOT / "docs/findings.md").read_text("utf-8")


def given_codes(source: str) -> list[str]:
    """Return the codes that findings are made with."""
    if not CODE.search(source):
        return []
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    made = [
        one for one in calls if getattr(one.func, "attr", getattr(one.func, "id", "")) in GIVING
    ]
    values = [value for one in made for value in (*one.args, *(kw.value for kw in one.keywords))]
    texts = [value.value for value in values if isinstance(value, ast.Constant)]
    return [text for text in texts if isinstance(text, str) and CODE.fullmatch(text)]


#: Decided, or found, by the readers of several formats or in several ways.
SHARED = {"LIN044", "LIN051", "LIN053", "LIN058", "LIN069"}


def test_every_code_is_listed_once_and_given_in_one_place():
    listed = re.findall(r"^\| (LIN\d{3}) ", PAGE, re.MULTILINE)
    sources = [path.read_text() for path in (ROOT / "lincore").rglob("*.py")]
    given = Counter(code for source in sources for code in given_codes(source))
    assert sorted(given) == sorted(listed)
    assert {code for code, times in given.items() if times > 1} == SHARED


def test_what_the_list_says_can_be_overruled_can():
    raw = b"u,class\n1,a\n2,b\n"
    for code, line in re.findall(r"^\| (LIN\d{3}) (.*) \|$", PAGE, re.MULTILINE):
        if "`overrule`" in line:
            assert read_table(raw, "made.csv", ReadOptions(overrule=(code,))).frame.shape == (2, 2)
        else:
            with pytest.raises(DataError, match="option overrule"):
                read_table(raw, "made.csv", ReadOptions(overrule=(code,)))


def test_every_option_in_the_list_is_one():
    cells = re.findall(r"^\| LIN\d{3} .*\| (.*) \|$", PAGE, re.MULTILINE)
    named = {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}
    options = {*vars(ReadOptions()), *vars(TableOptions()), *vars(ImageOptions())}
    assert named <= options


def decisions() -> Iterator[tuple[str, str]]:
    """Yield the code of each decision in the guide, and what is said of overruling it."""
    for part in PAGE.split("\n## ")[1:]:
        if part.startswith("Decisions "):
            yield from re.findall(r"^\| (LIN\d{3}) \| .* \| (.*) \|$", part, re.MULTILINE)


#: Left to the controls of the page: a size or a pattern cannot be guessed.
BY_CONTROLS = {"LIN081", "LIN085"}


@pytest.mark.parametrize(("code", "said"), [*decisions()])
def test_each_decision_can_be_overruled_or_is_a_fact(code, said):
    """Whatever the guide calls no fact has a button, or controls on the page."""
    frame = pd.DataFrame({"day": ["2020-01-01", "2020-02-02"] * 9, "u": [*range(18)]})
    frame["kind"], frame["other"] = ["a", "b", "b"] * 6, ["c", "d"] * 9
    reading = DetectedOptions(18, 4, n_tables=2, sheet="one", sheets=("one", "two"))
    table = replace(frame_to_table(frame, "made"), reading=reading)
    notice = Notice("It was so.", "column 'day'", code=code)
    if code >= "LIN080":
        (found,) = image_decisions([notice])
        changes = [dict(hint.images) for hint in found.remedies]
        fields = {*vars(ImageOptions()), "drop_duplicates"}
    else:
        (found,) = with_decisions((), table, describe_columns(table), [notice])
        changes = [{**h.reading, **h.options, **{"roles": h.roles}} for h in found.remedies]
        fields = {*vars(ReadOptions()), *vars(TableOptions())}
    assert found.is_decision
    assert bool(changes) is not (said.startswith("fact: ") or code in BY_CONTROLS)
    assert {name for one in changes for name in one} <= fields
    assert said.startswith("fact: ") or re.match("`[a-z]+", said)


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
    (remedy,) = next(one.remedies for one in found if "ends in an identifier" in one.notice.what)
    assert remedy.reading == {"cut_at": {"class": ".|"}}
    cut = read_table(raw, "made.csv", ReadOptions(**remedy.reading))
    data = table_to_dataset(cut, "class")
    assert data.classes.tolist() == ["negative", "sick"]
    assert data.counts.tolist() == [60, 30]
    assert "behind it" not in str(find_table_problems(cut, describe_columns(cut, "class")))
    with pytest.raises(DataError, match="no such column"):
        read_table(raw, "made.csv", ReadOptions(cut_at={"none": ".|"}))


def test_problems_and_decisions_are_one_list_each_with_what_overrules_it():
    rows = "".join(f"{1000 + 7 * i},{i % 9}.5 kg,{'ab'[i % 2]}\n" for i in range(60))
    options = ReadOptions(overrule=("LIN010",))
    table = read_table(f"id,mass,kind\n{rows}".encode(), "made.csv", options)
    columns = describe_columns(table, "kind")
    notices = table_to_dataset(table).notices
    problems = find_table_problems(table, columns)
    found = with_decisions(problems, table, columns, notices, options)
    assert found[: len(problems)] == problems
    remedies = {one.notice.code: [*one.remedies] for one in found if one.is_decision}
    assert remedies["LIN042"][0].reading == {"overrule": ("LIN010", "LIN042")}
    assert remedies["LIN050"][0].roles == {"id": "feature"}
    assert remedies[""][0].reading == {"overrule": ()}
    again = with_decisions(found, table, columns, [*notices, *notices], None)
    assert again == found, "nothing is listed twice"


def test_columns_that_the_file_declares_to_be_no_features_are_said_to_be_so():
    rows = "".join(f"{i % 7}.5,text {i},{7 * i},{i},{'xy'[i % 2]}\n" for i in range(30))
    data = load(f"C#size,mS#note,i#nr,row,cD#kind\n{rows}".encode(), name="made.csv")
    said = [str(notice) for notice in data.notices if notice.code == "LIN050"]
    assert "column 'row': Left out: a distinct value in every row" in said[0]
    assert "columns 'note', 'nr': Left out: declared in the file not to be a feature." in said[1]


def test_labels_that_hold_the_mark_themselves_are_not_offered_to_be_cut():
    rows = "".join(f"{i * 1.5},{('non-ill', 'ill')[i % 2]}-{3733 + i}\n" for i in range(90))
    with pytest.raises(DataError) as caught:
        load(f"age,class\n{rows}".encode(), name="made.csv")
    assert "identifier behind it" not in str(caught.value)


@pytest.mark.parametrize(
    ("label", "mark", "classes"),
    [
        ("{}.|{}", ".|", ["negative", "sick"]),
        ("{}[{}]", "[", ["negative", "sick"]),
        ("{} ({})", " (", ["negative", "sick"]),
        ("{}_{}", "_", ["negative", "sick"]),
        ("{}-{}", "-", ["negative", "sick"]),
        ("{}; {}", "; ", ["negative", "sick"]),
        ("C|{}#{}", "#", ["C|negative", "C|sick"]),
    ],
)
@pytest.mark.parametrize("target", ["class", None])
def test_a_target_with_an_identifier_behind_its_labels_is_offered_to_be_cut(
    label, mark, classes, target
):
    labels = [
        label.format(("negative", "sick", "negative")[i % 3], 3733 + 7 * i) for i in range(90)
    ]
    frame = pd.DataFrame({"age": [i * 1.5 for i in range(90)], "class": labels})
    raw = frame.to_csv(index=False).encode()
    with pytest.raises(DataError, match="ends in an identifier") as caught:
        load(raw, name="made.csv", target=target)
    (hint,) = caught.value.remedies
    assert hint.reading == {"cut_at": {"class": mark}}
    assert "names or free text" not in str(caught.value)
    found = load(raw, name="made.csv", target="class", options=ReadOptions(**hint.reading))
    assert found.classes.tolist() == classes
