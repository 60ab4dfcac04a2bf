"""Many columns at once, names, filters of rows, classes: each undone one by one and all at once."""

from __future__ import annotations

import pytest

from lincore import DataError
from lincore.io import Condition
from pages.ui.data import _edits, _filters, columns
from pages.ui.session import state
from pages.ui.widgets import text
from tests.app.data_page import a_table, bring, data_of, opened, source_of
from tests.app.test_pages import assert_fine, main_text, open_app

EVIL = "![x](http://evil.example/p.png)"


def labels(found) -> list[str]:
    return [edit.label for edit in _edits.edits_of(found)]


def test_every_edit_is_listed_and_undone_by_itself():
    found = opened(a_table())
    found = found.with_condition(Condition("length", "between", (10, None)))
    found = found.with_condition(Condition("colour", "is one of", ("x", "y")))
    found = found.with_names({"length": "length (mm)"}).with_kind(["width"], categorical=True)
    found = found.with_roles({"batch": "group"}).with_choices(
        drop_classes=("c",), merge_classes={"b": "bee"}, drop_duplicates=True
    )
    assert labels(found) == [
        "length (mm) from 10",
        "colour is x or y",
        "Left out: c",
        "b → bee",
        "length → length (mm)",
        "Group: batch",
        "Categorical: width",
        "Duplicates removed",
    ]
    for i, edit in enumerate(_edits.edits_of(found)):
        assert len(labels(edit.without)) == 7, f"edit {i}"
        assert edit.label.split(" (mm)")[0] not in labels(edit.without) or edit.word == "rename"
    assert labels(_edits.without_edits(found)) == []
    assert _edits.without_edits(found).dataset().digest == opened(a_table()).dataset().digest


def test_what_is_filtered_and_renamed_is_used_and_described():
    found = opened(a_table()).with_condition(Condition("colour", "is one of", ("x",)))
    assert found.dataset().n_rows == 14
    assert {c.name: c.kind for c in found.columns}["colour"] == "constant"
    named = found.with_names({"width": "breadth"})
    assert "breadth" in named.dataset().feature_names
    assert named.name_of("width") == "breadth"
    assert named.with_names({"width": "width"}).choices == found.choices
    with pytest.raises(DataError, match="No row meets"):
        found.with_condition(Condition("colour", "is one of", ("y",))).dataset()


def test_a_filter_is_added_shown_with_counts_and_undone_on_the_page():
    app = bring(open_app(), ("t.csv", a_table()))
    app.selectbox(key="data.filter.column").set_value("length").run()
    app.number_input(key="data.filter.from").set_value(10.0).run()
    assert "30 of 40 rows meet it" in main_text(app)
    app.button(key="data.filter.add").click().run()
    assert_fine(app)
    assert data_of(app).n_rows == 30
    app.selectbox(key="data.filter.column").set_value("colour").run()
    app.multiselect(key="data.filter.values").set_value(["x"]).run()
    app.button(key="data.filter.add").click().run()
    assert data_of(app).n_rows == 10
    assert "10 of 40 rows, 2 edits" in main_text(app).replace("\\", "")
    app.button(key="data.undo.where.0").click().run()
    assert data_of(app).n_rows == 14
    app.multiselect(key="data.filter.values").set_value(["y"]).run()
    app.button(key="data.filter.add").click().run()
    assert "No row meets all conditions" in app.error[0].value
    assert data_of(app).n_rows == 14, "what was goes on"
    app.button(key="data.undo.where.0").click().run()
    assert data_of(app).n_rows == 40


def test_roles_and_kinds_of_several_columns_change_together():
    app = bring(open_app(), ("t.csv", a_table()))
    app.selectbox(key="data.bulk.select").set_value("Numeric").run()
    assert "2 of 5 columns selected" in main_text(app)
    app.selectbox(key="data.bulk.kind").set_value("categorical").run()
    assert_fine(app)
    assert source_of(app).choices.categories == ("length", "width")
    app.selectbox(key="data.bulk.kind").set_value("numeric").run()
    app.selectbox(key="data.bulk.role").set_value("ignore").run()
    assert_fine(app)
    assert data_of(app).feature_names == ("colour", "batch")
    assert app.selectbox(key="data.bulk.role").value is None, "an action, and no setting"
    app.button(key="data.undo.roles.0").click().run()
    assert data_of(app).n_features == 4
    app.selectbox(key="data.bulk.select").set_value("All").run()
    app.selectbox(key="data.bulk.role").set_value("ignore").run()
    assert "No feature is left" in app.error[0].value


def test_a_name_written_into_the_table_renames_and_a_tick_selects(monkeypatch):
    app = bring(open_app(), ("t.csv", a_table()))
    found = source_of(app)
    session = dict.fromkeys(["key"])
    changed = []
    monkeypatch.setattr(columns.commands, "revise", changed.append)
    monkeypatch.setattr(columns.st, "session_state", session)
    session[columns.BASE] = columns._frame(found)
    session["key"] = {"edited_rows": {0: {"column": EVIL}, 1: {"select": True}}}
    columns._apply(found, "key")
    assert changed[0].name_of("length") == EVIL
    assert session["data.columns.selected"] == ["width"]
    assert EVIL in changed[0].dataset().feature_names


def test_classes_are_renamed_merged_and_left_out_in_one_table(monkeypatch):
    found = opened(a_table() + b"\n1,2,x,g1,c\n2,2,x,g1,c")
    base = _filters._classes(found)
    assert base.to_dict("list") == {
        "class": ["a", "b", "c"],
        "rows": [20, 20, 2],
        "name": ["a", "b", "c"],
        "use": [True, True, True],
    }
    changed = []
    monkeypatch.setattr(_filters.commands, "revise", changed.append)
    _filters._apply(found, base, base.assign(name=["a", EVIL, EVIL]))
    assert changed[-1].dataset().counts.tolist() == [22, 20]
    assert EVIL in changed[-1].dataset().classes
    _filters._apply(found, base, base.assign(use=[True, True, False]))
    assert changed[-1].dataset().classes.tolist() == ["a", "b"]
    refused = []
    monkeypatch.setattr(_filters.commands, "refuse_change", refused.append)
    for edited in (base.assign(name="one"), base.assign(use=[True, False, False])):
        _filters._apply(found, base, edited)
    assert [str(error) for error in refused] and len(changed) == 2


def test_markup_in_edits_is_shown_letter_by_letter():
    app = bring(open_app(), ("t.csv", a_table()))
    source = source_of(app).with_names({"width": EVIL})
    app.session_state["shared.source"] = source
    app.session_state["shared.dataset"] = source.dataset()
    app.run()
    assert_fine(app)
    said = [b.label for b in app.button if b.key.startswith("data.undo.rename")]
    assert said and "![" not in said[0]
    assert not any("](http" in part.value for part in app.markdown)


def test_there_is_one_weight_and_one_frequency():
    found = opened(a_table()).with_roles({"length": "weight", "width": "frequency"})
    data = found.dataset()
    assert (data.weight_name, data.group_name) == ("length", "lines of 'width'")
    # The newer choice takes the place of the older one, as for groups.
    found = found.with_roles({"width": "weight"})
    assert "length" not in found.choices.roles and found.dataset().weight_name == "width"
    assert labels(found) == ["Weight: width"]


def test_what_rows_count_is_told_beside_their_number():
    app = bring(open_app(), ("t.csv", a_table()))
    app.session_state[state.SOURCE] = found = source_of(app).with_roles({"length": "weight"})
    app.session_state[state.DATASET] = found.dataset()
    app.run()
    assert_fine(app)
    told = "weighted by 'length', as 30.0 rows of equal weight (Kish)"
    assert text.escape(told) in app.header[0].value
    assert "Weight: length" in [button.label.replace("\\", "") for button in app.button]
