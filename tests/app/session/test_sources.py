"""Sources of tables, images and groups of rows, mostly without a page."""

from __future__ import annotations

import io

import numpy as np
import pytest

import lincore
from lincore import DataError
from lincore.errors import Hint
from lincore.io import TableOptions
from pages.ui.session.sources import ImageSource, Source
from tests.app.data_page import FOLDERS, IMAGES, a_table, a_zip, bring, data_of, opened, source_of
from tests.app.test_pages import assert_fine, main_text, open_app


def roles(source: Source) -> dict[str, str]:
    return {column.name: column.role for column in source.columns}


def test_roles_follow_what_was_chosen_and_only_one_is_target_or_group():
    found = opened(a_table())
    assert roles(found)["kind"] == "target" and roles(found)["colour"] == "feature"
    found = found.with_roles({"colour": "ignore", "batch": "group"})
    assert found.dataset().feature_names == ("length", "width")
    assert len(found.dataset().group_names) == 10
    moved = found.with_roles({"colour": "group"})
    assert roles(moved)["colour"] == "group" and roles(moved)["batch"] != "group"
    other = found.with_roles({"colour": "target"})
    assert other.target == "colour" and roles(other)["kind"] == "feature"
    with pytest.raises(DataError, match="holds the classes"):
        found.with_roles({"kind": "feature"})


def test_a_target_of_a_former_table_leaves_the_columns_readable():
    lost = opened(a_table()).with_target("petal length")
    assert {"kind", "colour", "width"} <= set(roles(lost))
    with pytest.raises(DataError, match="no such column"):
        lost.dataset()


def test_numbers_as_names_are_levels_until_they_are_ignored():
    found = opened(a_table()).with_choices(categories=("width",))
    assert found.dataset().levels[1] is not None
    assert "width" not in found.with_roles({"width": "ignore"}).dataset().feature_names


def test_another_target_forgets_what_was_said_of_the_former_classes():
    found = opened(a_table()).with_remedy(Hint("x", options={"drop_classes": ("a",)}))
    found = found.with_roles({"width": "ignore"}).with_target("colour")
    assert found.choices == TableOptions(roles={"width": "ignore"})


def test_reading_otherwise_keeps_roles_while_the_columns_stay():
    found = opened(a_table()).with_roles({"colour": "ignore"}).with_target("batch")
    again = found.with_reading(encoding="latin-1").read()
    assert again.target == "batch" and roles(again)["colour"] == "ignore"
    renamed = found.with_reading(header=False).read()
    assert renamed.choices == TableOptions() and renamed.target == "column 5"


def recognised(*files: tuple[str, bytes]) -> Source | ImageSource:
    """Return what the page makes of uploaded files."""
    return source_of(bring(open_app(), *files))


def refusal(*files: tuple[str, bytes]) -> str:
    return bring(open_app(), *files).error[0].value.replace("\\", "")


def test_files_are_told_by_what_they_hold():
    buffer = io.BytesIO()
    np.savez(buffer, X=np.eye(4), y=np.array([0, 1, 0, 1]))
    arrays = bring(open_app(), ("a.zip", buffer.getvalue()))
    assert data_of(arrays).n_rows == 4 and source_of(arrays).kind == "file"
    packed = recognised(("t.zip", a_zip({"in/t.csv": a_table()})))
    assert isinstance(packed, Source) and packed.name == "t.csv"
    assert isinstance(recognised(("p.zip", a_zip(FOLDERS))), ImageSource)
    assert isinstance(recognised(("readme.txt", b"x"), *IMAGES.items()), ImageSource)
    assert "None of the 2 files is an image" in refusal(("a.doc", b"x"), ("b.doc", b"y"))


def test_of_several_tables_one_is_chosen():
    files = [("survey/a.csv", a_table()), ("survey/b.csv", a_table(80)), ("survey/c.xyz", b"x")]
    found = recognised(*files)
    assert (found.name, len(found.table.frame)) == ("survey", 80)
    assert found.table.reading.sheets == ("survey/a.csv", "survey/b.csv")
    assert len(found.with_reading(sheet="survey/a.csv").read().table.frame) == 40
    alone = recognised(("survey/a.csv", a_table()), ("survey/notes.md", b"x"))
    assert alone.name == "survey/a.csv"


def test_a_folder_of_images_gives_the_classes():
    found = recognised(*FOLDERS.items())
    assert found.name == "pets" and found.read().classes.tolist() == ["c", "d"]
    dropped = [("1.png", raw) for raw in FOLDERS.values()]
    assert "folder names" in refusal(*dropped)


def test_groups_are_tested_as_a_whole():
    data = opened(a_table(200)).with_roles({"batch": "group"}).dataset()
    split = lincore.split(data, seed=1)
    assert not set(data.groups[split.train]) & set(data.groups[split.test])
    assert len(split.train) + len(split.test) == 200 and 40 <= len(split.test) <= 90
    lines = [f"{i * i % 13}.5,g{i % 3},{'abc'[i % 3]}" for i in range(60)]
    alone = opened("\n".join(["x,g,kind", *lines]).encode()).with_roles({"g": "group"})
    with pytest.raises(DataError, match="leave no test rows"):
        lincore.split(alone.dataset())


@pytest.mark.usefixtures("unfolded")
def test_the_sidebar_offers_whole_groups_where_there_are_any():
    app = bring(open_app(), ("good.csv", a_table(200)))
    assert "Whole groups, at random" not in app.selectbox(key="sidebar.how").options
    app.selectbox(key="sidebar.how").set_value("last").run()
    app.button(key="data.finding.0.0").click().run()
    assert_fine(app)
    assert app.selectbox(key="sidebar.how").value == "group", "kept together unasked"
    assert "Groups are kept together" in main_text(app)
    assert "50 groups of rows" in main_text(app)
    assert "take “Whole groups”" not in main_text(app), "they are taken already"
    app.switch_page("pages/classify.py").run()
    assert_fine(app)
    assert not app.error
