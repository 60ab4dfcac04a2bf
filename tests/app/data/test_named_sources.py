"""Sources that the operator has named: chosen by name, kept by link and script, never located."""

from __future__ import annotations

import sqlite3
from contextlib import closing, redirect_stdout
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from lincore.analysis import SourceData
from lincore.export import to_notebook, to_script
from tests.app.data_page import data_of, wait
from tests.app.session.test_link import asked, reload
from tests.app.test_pages import main_text, open_app

SECRET = "hunter2"
NAME = 'sales <b>"2026"</b>'


@pytest.fixture
def home(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 3)), columns=["price", "size", "age"])
    frame = frame.assign(kind=rng.choice(["a", "b"], 120), shop=rng.choice(["x", "y"], 120))
    (tmp_path / SECRET).mkdir()
    with closing(sqlite3.connect(tmp_path / SECRET / "shop.db")) as connection:
        frame.to_sql("sold", connection, index=False)
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "secrets.toml").write_text(
        f"[sources.'{NAME}']\naddress = 'sqlite:///{tmp_path}/{SECRET}/shop.db'\ntable = 'sold'\n"
        f"[sources.gone]\naddress = 'sqlite:///{tmp_path}/{SECRET}/gone.db'\ntable = 'sold'\n"
    )
    monkeypatch.setenv("HOME", str(tmp_path))


def sources(app) -> list[str]:
    return [one.label for one in app.button if (one.key or "").startswith("data.source.")]


def test_without_secrets_nothing_is_offered(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    app = open_app("pages/data.py")
    assert not sources(app) and "Sources" not in main_text(app)


def test_a_source_is_chosen_by_name_and_kept_by_link_and_script(home):
    app = open_app("pages/data.py")
    assert len(sources(app)) == 2 and "<b>" not in sources(app)[1].replace("\\<b", "")
    app.button(key=f"data.source.{NAME}").click().run()
    wait(app)
    assert data_of(app).name == NAME and data_of(app).n_rows == 120
    app.selectbox(key="sidebar.target").set_value("shop").run()
    found = asked(app)
    assert found.data == SourceData(NAME, "shop")
    again = reload(app, "pages/data.py")
    wait(again)
    assert data_of(again).digest == data_of(app).digest
    assert asked(again) == found
    for text in (main_text(app), found.to_json(), to_script(found), to_notebook(found)):
        assert SECRET not in text and "sqlite" not in text
    with redirect_stdout(StringIO()) as said:
        exec(compile(to_script(found), "script.py", "exec"), {"__name__": "__main__"})
    assert "120" in said.getvalue()


def test_a_source_that_cannot_be_read_is_told_without_its_address(home):
    app = open_app("pages/data.py")
    app.button(key="data.source.gone").click().run()
    wait(app)
    assert "It cannot be read" in main_text(app)
    assert SECRET not in main_text(app)
    assert data_of(app).name == "iris"


def test_a_link_to_a_source_of_another_server_is_told(home, tmp_path, monkeypatch):
    app = open_app("pages/data.py")
    app.button(key=f"data.source.{NAME}").click().run()
    wait(app)
    monkeypatch.setenv("HOME", str(tmp_path / SECRET))
    again = reload(app, "pages/data.py")
    wait(again)
    assert "There is no source of this name here" in main_text(again)
