"""All pages without a browser: opened at once, with good files and with bad ones."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    "pages/data.py",
    "pages/explore.py",
    "pages/geometry.py",
    "pages/classify.py",
    "pages/compare.py",
    "pages/predict.py",
]


def open_app(page: str = PAGES[0]) -> AppTest:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=300).switch_page(page).run()
    assert_fine(app)
    return app


def assert_fine(app: AppTest) -> None:
    assert not app.exception, app.exception[0].value
    for chart in app.get("plotly_chart"):
        assert chart.proto.alt.strip(), "a figure without a text alternative"


def figures(app: AppTest) -> list[dict]:
    return [json.loads(chart.proto.spec) for chart in app.get("plotly_chart")]


def main_text(app: AppTest) -> str:
    parts = [*app.header, *app.markdown, *app.caption, *app.error]
    return unbound("\n".join(part.value for part in parts))


def unbound(text: str) -> str:
    """Return text without the characters that keep numbers, units and intervals together."""
    return text.replace("\u00a0", " ").replace("\u2060", "")


def choose_sample(app: AppTest, name: str) -> None:
    app.switch_page(PAGES[0]).run()
    app.pills(key="data.sample").set_value(name).run()
    assert_fine(app)


def upload(app: AppTest, name: str, raw: bytes) -> AppTest:
    app.file_uploader[0].upload(name, raw)
    app.run()
    assert_fine(app)
    return app


@pytest.mark.parametrize("page", PAGES)
def test_a_page_can_be_the_first_one_opened(page):
    app = open_app(page)
    assert not app.error and app.header[0].value and figures(app)


@pytest.mark.usefixtures("unfolded")
def test_options_survive_a_page_switch_and_data_of_another_shape():
    app = open_app("pages/classify.py")
    app.segmented_control(key="experiment.n_components.kind").set_value("a number").run()
    app.number_input(key="experiment.n_components").set_value(4).run()
    app.selectbox(key="experiment.lda.shrinkage.kind").set_value("oas").run()
    app.switch_page("pages/explore.py").run()
    app.switch_page("pages/classify.py").run()
    assert app.number_input(key="experiment.n_components").value == 4
    assert app.selectbox(key="experiment.lda.shrinkage.kind").value == "oas"
    choose_sample(app, "gaussian")
    app.switch_page("pages/classify.py").run()
    assert_fine(app)
    assert not app.error


TABLE = b"length,width,colour,kind\n" + b"\n".join(
    f"{i % 7},{(i * i) % 11},red,{'ab'[i % 2]}".encode() for i in range(40)
)


@pytest.mark.usefixtures("unfolded")
def test_a_table_is_uploaded_and_its_target_changed():
    app = upload(open_app(), "flowers.csv", TABLE)
    assert "flowers\\: 40 rows of 2 features in 2 classes" in main_text(app)
    target = app.selectbox(key="sidebar.target")
    assert target.value == "kind"
    target.set_value("length").run()
    assert_fine(app)
    assert "in 7 classes" in main_text(app)
    app.selectbox(key="sidebar.target").set_value("colour").run()
    assert_fine(app)
    assert app.error and "in 7 classes" in main_text(app), "the former target stays in use"
    assert app.selectbox(key="sidebar.target").value == "length"


def a_zip(*names: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, b"not an image")
    return stream.getvalue()


BAD = {
    "empty.csv": b"",
    "nul.csv": b"a,b\x00,c\n1,2,3\n",
    "one-class.csv": b"x,kind\n1,a\n2,a\n3,a\n",
    "no-target.csv": b"x,z\n1.5,2.5\n2.5,3.5\n3.25,4.5\n",
    "no-numbers.csv": b"colour,kind\nred,a\nblue,b\nred,a\n",
    "infinite.csv": b"x,z,kind\n1,2,a\ninf,3,b\n4,5,a\n7,8,b\n",
    "constant.csv": b"x,kind\n1,a\n1,b\n1,a\n1,b\n",
    "no-images.zip": a_zip("Class1/readme.txt", "Class2/readme.txt"),
    "broken.zip": b"PK\x03\x04 no zip",
    "model.pkl": b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00",
    "broken.csv.gz": b"\x1f\x8b\x08 broken",
}


def test_bad_files_are_refused_with_a_reason_and_nothing_is_lost():
    app = upload(open_app(), "flowers.csv", TABLE)
    for name, raw in BAD.items():
        upload(app, name, raw)
        assert len(app.error) == 1, name
        assert len(app.error[0].value) > 30, name
        assert "flowers\\: 40 rows" in main_text(app), name
        assert "Current data: flowers" in main_text(app), name
    app.switch_page("pages/classify.py").run()
    assert_fine(app)
    assert not app.error
    app.switch_page("pages/data.py").run()
    upload(app, "again.csv.gz", gzip.compress(TABLE))
    assert not app.error, "the message goes when the next file is read"


@pytest.mark.usefixtures("unfolded")
def test_a_constant_feature_and_a_lone_row_are_told():
    rows = TABLE + b"\n1,2,red,c\n"
    rows = rows.replace(b"red", b"7")
    app = upload(open_app(), "odd.csv", rows)
    text = main_text(app)
    assert "colour" in text and "same value in every row" in text
    assert "one row" in text.lower() or "1 row" in text
    app.switch_page("pages/classify.py").run()
    assert_fine(app)
    assert not app.error


def test_markup_in_a_file_is_shown_and_not_obeyed():
    header = b"![x](http://evil.example/p.png),<b>bold</b>,kind\n"
    body = b"\n".join(f"{i % 5},{i % 7},<i>{'ab'[i % 2]}</i>".encode() for i in range(30))
    app = upload(open_app(), "[link](x) **name**.csv", header + body)
    for page in PAGES:
        app.switch_page(page).run()
        assert_fine(app)
        for part in [*app.header, *app.markdown, *app.caption]:
            assert "**name**" not in part.value and "](x)" not in part.value
        for figure in app.get("plotly_chart"):
            assert "<i>" not in figure.proto.spec and "<b>bold" not in figure.proto.spec


def test_no_figure_travels_with_numbers_as_text():
    app = open_app("pages/classify.py")
    for figure in figures(app):
        for trace in figure["data"]:
            for axis in ("x", "y", "z"):
                values = trace.get(axis)
                if isinstance(values, list):
                    size = np.size(np.asarray(values, dtype=object))
                    assert size <= 600, f"{trace['type']}.{axis} sends {size} values as a list"
