"""Edits of a table: listed in words, and undone one by one."""

from __future__ import annotations

from lincore.io import Condition, ReadOptions, TableOptions, table_edits

EDITED = TableOptions(
    where=(Condition("age", "between", (18, None)),),
    rename={"age": "years", "a": "b"},
    roles={"age": "text", "w": "ignore", "x": "ignore", "y": "ignore", "z": "ignore"},
    missing="drop",
    rare=3,
    categories=("zip",),
    drop_classes=("left", "right"),
    merge_classes={"up": "down"},
    drop_duplicates=True,
    drawn_only=True,
)
READING = ReadOptions(separator=";", missing_in={"bmi": (0.0, "-"), "age": (99.0,)})
LABELS = [
    "years from 18",
    "Left out: left",
    "Left out: right",
    "up → down",
    "age → years",
    "a → b",
    "Text: years",
    "Ignore: w, x, y and 1 more",
    "Categorical: zip",
    "Duplicates removed",
    "Only the rows drawn at random",
    "Missing-value code of bmi: 0, -",
    "Missing-value code of age: 99",
]


def test_edits_are_listed_in_words():
    assert [edit.label for edit in table_edits(EDITED, READING)] == LABELS
    assert table_edits(TableOptions(missing="drop", rare=3, bins=2)) == []


def test_each_edit_is_undone_without_the_others():
    for i, edit in enumerate(table_edits(EDITED, READING)):
        left = [other.option for other in table_edits(edit.choices, edit.reading)]
        assert left == [o.option for o in table_edits(EDITED, READING) if o.label != LABELS[i]]


def test_undoing_all_leaves_the_treatment_of_missing_values():
    choices, reading = EDITED, READING
    while edits := table_edits(choices, reading):
        choices, reading = edits[0].choices, edits[0].reading
    assert choices == EDITED.unedited() == TableOptions(missing="drop", rare=3)
    assert reading == ReadOptions(separator=";")
