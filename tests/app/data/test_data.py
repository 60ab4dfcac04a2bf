"""The page Data with tables: how they are read, their columns, what is odd about them."""

from __future__ import annotations

import io

import numpy as np
import openpyxl
import pytest

from tests.app.data_page import a_table, bring, data_of, frames, source_of
from tests.app.test_pages import assert_fine, main_text, open_app

pytestmark = pytest.mark.usefixtures("unfolded")


def edits(app) -> list[str]:
    """Return the edits that are listed, as they are shown."""
    listed = [b for b in app.button if b.key.startswith("data.undo.") and b.key != "data.undo.all"]
    return [b.label.replace("\\", "") for b in listed]


def test_how_a_table_was_read_is_said_and_a_wrong_separator_overruled():
    # Nothing but two columns of "a|b" and "c" can be made of it by commas.
    raw = a_table().replace(b",", b"|").replace(b"\n", b",x\n") + b",x"
    app = bring(open_app(), ("wrong.csv", raw))
    app.selectbox(key="data.read.separator").set_value(",").run()
    assert_fine(app)
    preview = frames(app)[-2]  # the last is that of the generator
    assert app.error and len(preview.columns) == 2, "the preview follows at once"
    app.selectbox(key="data.read.separator").set_value("|").run()
    assert_fine(app)
    assert not app.error
    assert "vertical bar" in main_text(app)
    assert list(frames(app)[-2].columns)[:3] == ["length", "width", "colour"]
    assert data_of(app).classes.tolist() == ["a,x", "b,x"]


def test_a_file_that_could_not_be_read_can_be_read_otherwise_or_given_up():
    app = bring(open_app(), ("wrong.csv", a_table(separator="@")))
    assert "one column" in app.error[0].value and "was not read" in main_text(app)
    assert "Current data: iris" in main_text(app)
    assert "@" not in app.selectbox(key="data.read.separator").options, "it can be typed in"
    app.button(key="data.refused.back").click().run()
    assert_fine(app)
    assert not app.error and "was not read" not in main_text(app)


def test_a_table_read_otherwise_is_shown_even_where_it_makes_no_data():
    app = bring(open_app(), ("good.csv", a_table()))
    assert "UTF\\-8, comma, header in line 1, 40 rows of 5 columns" in main_text(app)
    app.selectbox(key="data.read.separator").set_value("\t").run()
    assert_fine(app)
    assert "one column" in app.error[0].value and "Current data: good" in main_text(app)
    assert data_of(app).n_rows == 40
    app.button(key="data.refused.back").click().run()
    assert not app.error and app.selectbox(key="data.read.separator").value == "detect"
    assert "comma" in main_text(app)


def test_every_part_of_reading_can_be_overruled_and_given_back():
    app = bring(open_app(), ("good.csv", a_table()))
    for part, value, said in (
        ("header", False, "no header, 41 rows"),
        ("encoding", "latin-1", r"Latin\-1"),
        ("comment", "#", r"comments after \#"),
        ("thousands", "'", "thousands apostrophe"),
        ("quote", "'", "single quotes"),
    ):
        app.selectbox(key=f"data.read.{part}").set_value(value).run()
        assert_fine(app)
        assert said in main_text(app)
        app.button(key="data.read.detect").click().run()
        assert said not in main_text(app)


def test_missing_values_are_marked_as_wished():
    app = bring(open_app(), ("good.csv", a_table()))
    app.text_input(key="data.read.marks").set_value("x NA").run()
    assert_fine(app)
    assert source_of(app).options.missing_codes == ("x", "NA")
    assert source_of(app).table.frame["colour"].isna().sum() == 14
    app.selectbox(key="data.read.column").set_value("width")
    app.text_input(key="data.read.value").set_value("2").run()
    app.button(key="data.read.missing").click().run()
    assert_fine(app)
    assert np.isnan(data_of(app).X[:, 1]).sum() > 0
    assert "Missing-value code of width: 2" in edits(app)
    app.button(key="data.undo.missing_in.0").click().run()
    assert np.isnan(data_of(app).X[:, 1]).sum() == 0


def test_a_quantity_as_target_is_refused_with_ranges_at_a_click():
    app = bring(open_app(), ("good.csv", a_table()))
    app.selectbox(key="data.target").set_value("length").run()
    assert_fine(app)
    assert "looks like a quantity" in app.error[0].value
    assert data_of(app).classes.tolist() == ["a", "b"], "the former target stays in use"
    assert app.selectbox(key="data.target").value == "kind"
    offered = [b for b in app.button if b.label.startswith("Bin length into 3")]
    offered[0].click().run()
    assert_fine(app)
    assert data_of(app).n_classes == 3 and source_of(app).target == "length"
    app.selectbox(key="data.bins").set_value(4).run()
    assert data_of(app).n_classes == 4
    app.selectbox(key="data.bins.how").set_value("width").run()
    assert_fine(app)
    assert source_of(app).choices.bins == (4, "width")


def test_a_file_without_a_likely_target_waits_for_one():
    raw = b"x,z\n" + b"\n".join(f"{i}.25,{i * 7 % 31}.5".encode() for i in range(31))
    app = bring(open_app(), ("measures.csv", raw))
    assert "No column looks like classes" in app.error[0].value
    assert app.selectbox(key="data.target").value is None
    app.selectbox(key="data.target").set_value("z").run()
    next(b for b in app.button if b.label.startswith("Bin z into 2")).click().run()
    assert_fine(app)
    assert not app.error and data_of(app).n_classes == 2 and data_of(app).name == "measures"


def test_findings_come_with_a_remedy_at_a_click_that_can_be_undone():
    rows = [f"{(i % 20) + 50 if i % 9 else 0},{i % 90 * 37}.5,{'ab'[i % 2]}" for i in range(300)]
    app = bring(open_app(), ("odd.csv", ("pressure,dose,kind\n" + "\n".join(rows)).encode()))
    assert "0 occurs in" in main_text(app)
    next(b for b in app.button if b.label.startswith("Read 0 in")).click().run()
    assert_fine(app)
    assert data_of(app).has_missing and "0 occurs in" not in main_text(app)
    next(b for b in app.button if b.label == "Remove duplicates").click().run()
    assert_fine(app)
    assert data_of(app).n_rows < 250
    assert "Remove duplicates" not in [b.label for b in app.button]
    app.button(key="data.undo.drop_duplicates.0").click().run()
    assert data_of(app).n_rows == 300


def test_missing_values_and_rare_levels_are_treated_as_chosen():
    app = bring(open_app(), ("gaps.csv", a_table().replace(b"\n3.5,", b"\n,")))
    for missing in ("most_frequent", "indicator", "drop"):
        app.selectbox(key="data.missing").set_value(missing).run()
        assert_fine(app)
        data = data_of(app)
        assert (data.n_rows, data.imputation) == (
            (39, "median") if missing == "drop" else (40, missing)
        )
    app.selectbox(key="data.rare").set_value(10).run()
    assert data_of(app).rare == 10
    app.selectbox(key="data.rare").set_value(0).run()
    assert data_of(app).rare == 0


def test_markup_in_columns_reaches_no_button():
    raw = b"![](http://evil.example/p.png),kind\n" + b"\n".join(
        f"{(i % 20) + 50 if i % 9 else 0},{'ab'[i % 2]}".encode() for i in range(200)
    )
    app = bring(open_app(), ("evil.csv", raw))
    labels = [b.label for b in app.button if b.label.startswith("Read 0")]
    assert labels and "![" not in labels[0] and r"\!\[" in labels[0]


def test_other_data_target_rows_and_classes_stand_in_one_row_above_the_columns():
    app = bring(open_app(), ("t.csv", a_table()))
    row, table = (
        next(i for i, one in app.main.children.items() if key in str(one.proto))
        for key in ("data.columns.row", 'data.columns"')
    )
    assert len(app.main.children[row].children) == 5
    assert "data.upload.open" in str(app.main.children[row].children[0].proto)
    assert row == table - 1, "no further row of controls"
    findings = next(i for i, one in app.main.children.items() if "data.findings" in str(one.proto))
    assert findings == row - 1 and "decision made" in str(app.main.children[findings])


ROWS = "".join(f"{i},{'xyz'[i % 3]},{i * i % 7}.5,{'ab'[i % 2]}\n" for i in range(30))


def button(app, label: str):
    return next(one for one in app.button if one.label == label)


def test_lines_that_do_not_fit_are_listed_and_left_out_or_cut():
    raw = f"u,kind,v,class\n{ROWS}31,x,,2.5,a\n32,a,b,c,d,e\n".encode()
    app = bring(open_app(), ("uneven.csv", raw))
    assert any("2 lines did not fit" in one.label for one in app.expander)
    listed = next(frame for frame in frames(app) if "outcome" in frame)
    assert listed["line"].tolist() == [32, 33]
    assert listed["outcome"].tolist() == ["mended", "left out"]
    n_rows = [len(source_of(app).table.frame)]
    for uneven in ("keep", "skip", "detect"):
        app.selectbox(key="data.read.uneven").set_value(uneven).run()
        assert_fine(app)
        n_rows.append(len(source_of(app).table.frame))
    assert n_rows == [31, 32, 30, 31]


def test_cells_are_kept_as_text():
    raw = f"u,kind,v,class\n{ROWS}".replace(".5", ".5 kg").encode()
    app = bring(open_app(), ("units.csv", raw))
    assert source_of(app).table.frame["v"].dtype == np.float64
    app.checkbox(key="data.read.text").check().run()
    assert_fine(app)
    assert source_of(app).table.frame["v"][0] == "0.5 kg"


def test_decisions_of_reading_are_overruled_and_restored():
    raw = f"A title\nu,kind,v,class\n{ROWS}".replace(".5", ".5 kg").encode()
    app = bring(open_app(), ("units.csv", raw))
    assert "LIN042" in main_text(app)
    overrule = [one for one in app.button if one.label == "Overrule"]
    overrule[-1].click().run()
    assert_fine(app)
    assert source_of(app).options.overrule == ("LIN042",)
    assert source_of(app).table.frame["v"][0] == "0.5 kg"
    assert "LIN042 was overridden" in main_text(app)
    button(app, "Restore").click().run()
    assert_fine(app)
    assert source_of(app).table.frame["v"].dtype == np.float64


def test_another_sheet_is_chosen():
    book = openpyxl.Workbook()
    for name, n in (("small", 12), ("large", 30)):
        sheet = book.create_sheet(name)
        for row in (["u", "kind", "v", "class"], *([i, "x", i / 2, "ab"[i % 2]] for i in range(n))):
            sheet.append(row)
    del book["Sheet"]
    stream = io.BytesIO()
    book.save(stream)
    app = bring(open_app(), ("book.xlsx", stream.getvalue()))
    assert app.selectbox(key="data.read.sheet").value == "large"
    app.selectbox(key="data.read.sheet").set_value("small").run()
    assert_fine(app)
    assert len(source_of(app).table.frame) == 12


def test_a_numeric_target_is_cut_at_a_threshold_of_ones_own():
    app = bring(open_app(), ("good.csv", a_table()))
    app.selectbox(key="data.target").set_value("length").run()
    next(b for b in app.button if b.label.startswith("Bin length into 2")).click().run()
    values = source_of(app).table.frame["length"].to_numpy()
    at = float(np.sort(values)[len(values) // 4])
    app.number_input(key="data.bins.at").set_value(at).run()
    assert_fine(app)
    assert data_of(app).counts.tolist() == [(values < at).sum(), (values >= at).sum()]
    assert app.selectbox(key="data.bins").options[-1] == f"At {at:g}"
    app.selectbox(key="data.bins").set_value(4).run()
    assert data_of(app).n_classes == 4 and app.number_input(key="data.bins.at").value is None
