"""Many columns at once, names, filters of rows, classes: each undone one by one and all at once."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from lincore import DataError
from lincore.io import Condition
from pages.ui.session import state
from pages.ui.session.sources import Source
from pages.ui.widgets import text
from tests.app.data_page import a_table, bring, data_of, opened, source_of
from tests.app.settling import edit_cells
from tests.app.test_pages import assert_fine, main_text, open_app, unbound

pytestmark = pytest.mark.usefixtures("unfolded")

EVIL = "![x](http://evil.example/p.png)"


def shown(found: Source) -> AppTest:
    """Return the page Data with a table as it was edited."""
    app = bring(open_app(), ("t.csv", a_table()))
    app.session_state[state.SOURCE], app.session_state[state.DATASET] = found, found.dataset()
    app.run()
    assert_fine(app)
    return app


def undo(app: AppTest) -> dict[str, str]:
    """Return the label of each edit that is listed, by the key of what undoes it."""
    plain = {one.key: one.label.replace("\\", "") for one in app.button}
    listed = {k: v for k, v in plain.items() if k.startswith("data.undo.")}
    return {key: label for key, label in listed.items() if key != "data.undo.all"}


def test_every_edit_is_listed_and_undone_by_itself():
    found = opened(a_table())
    found = found.with_condition(Condition("length", "between", (10, None)))
    found = found.with_condition(Condition("colour", "is one of", ("x", "y")))
    found = found.with_names({"length": "length (mm)"}).with_kind(["width"], categorical=True)
    found = found.with_roles({"batch": "group"}).with_choices(
        drop_classes=("c",), merge_classes={"b": "bee"}, drop_duplicates=True
    )
    app = shown(found)
    assert [*undo(app).values()] == [
        "length (mm) from 10",
        "colour is x or y",
        "Left out: c",
        "b → bee",
        "length → length (mm)",
        "Group: batch",
        "Categorical: width",
        "Duplicates removed",
    ]
    for key, label in undo(app).items():
        app = shown(found)
        app.button(key=key).click().run()
        left = [*undo(app).values()]
        assert len(left) == 7, label
        assert label.split(" (mm)")[0] not in left or ".rename." in key
    app = shown(found)
    app.button(key="data.undo.all").click().run()
    assert undo(app) == {} and data_of(app).digest == opened(a_table()).dataset().digest


def test_what_is_filtered_and_renamed_is_used_and_described():
    found = opened(a_table()).with_condition(Condition("colour", "is one of", ("x",)))
    assert found.dataset().n_rows == 14
    assert {c.name: c.kind for c in found.columns}["colour"] == "constant"
    named = found.with_names({"width": "breadth"})
    assert "breadth" in named.dataset().feature_names
    assert named.choices.name_of("width") == "breadth"
    assert named.with_names({"width": "width"}).choices == found.choices
    with pytest.raises(DataError, match="No row meets"):
        found.with_condition(Condition("colour", "is one of", ("y",))).dataset()


def test_a_filter_is_added_shown_with_counts_and_undone_on_the_page():
    app = bring(open_app(), ("t.csv", a_table()))
    app.selectbox(key="data.filter.column").set_value("length").run()
    app.number_input(key="data.filter.from").set_value(10.0).run()
    assert "30 of 40 rows match" in main_text(app)
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


def test_a_name_written_into_the_table_renames_and_a_tick_selects():
    app = bring(open_app(), ("t.csv", a_table()))
    edit_cells(app, "data.columns", {0: {"column": EVIL}, 1: {"select": True}})
    assert_fine(app)
    assert source_of(app).choices.name_of("length") == EVIL
    assert EVIL in data_of(app).feature_names
    assert "1 of 5 columns selected" in main_text(app)


def test_classes_are_renamed_merged_and_left_out_in_one_table():
    app = bring(open_app(), ("t.csv", a_table() + b"\n1,2,x,g1,c\n2,2,x,g1,c"))

    def apply(rows):
        edit_cells(app, "data.classes", rows)
        app.button(key="data.classes.apply").click().run()
        return data_of(app)

    (base,) = (one.value for one in app.dataframe if "-data.classes" in one.proto.id)
    assert base.to_dict("list") == {
        "class": ["a", "b", "c"],
        "rows": [20, 20, 2],
        "name": ["a", "b", "c"],
        "use": [True, True, True],
    }
    for rows in ({k: {"name": "one"} for k in range(3)}, {1: {"use": False}, 2: {"use": False}}):
        assert apply(rows).n_classes == 3 and app.error
    merged = apply({0: {"use": True}, 1: {"name": EVIL, "use": True}, 2: {"name": EVIL}})
    assert merged.counts.tolist() == [22, 20] and EVIL in merged.classes
    assert_fine(app)
    left = bring(open_app(), ("t.csv", a_table() + b"\n1,2,x,g1,c\n2,2,x,g1,c"))
    edit_cells(left, "data.classes", {2: {"use": False}})
    left.button(key="data.classes.apply").click().run()
    assert data_of(left).classes.tolist() == ["a", "b"]


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
    assert [*undo(shown(found)).values()] == ["Weight: width"]


def test_what_rows_count_is_told_beside_their_number():
    app = bring(open_app(), ("t.csv", a_table()))
    app.session_state[state.SOURCE] = found = source_of(app).with_roles({"length": "weight"})
    app.session_state[state.DATASET] = found.dataset()
    app.run()
    assert_fine(app)
    note = "Weighted by 'length', as 30.0 rows of equal weight (Kish)."
    assert unbound(text.escape(note)) in main_text(app)
    assert "Weight: length" in [button.label.replace("\\", "") for button in app.button]
