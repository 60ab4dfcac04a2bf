"""Tables of databases that `.streamlit/secrets.toml` names, on the page Data."""

import sqlite3

import pytest
from streamlit import config
from streamlit.runtime.secrets import secrets_singleton

import lincore
from pages.ui.session import state
from tests.app.data_page import data_of
from tests.app.test_pages import assert_fine, main_text, open_app

pytest.importorskip("sqlalchemy", reason="SQLAlchemy is in requirements-long.txt")


@pytest.fixture
def app(tmp_path):
    path, secrets = tmp_path / "shop.db", tmp_path / "secrets.toml"
    with sqlite3.connect(path) as shop:
        lincore.sample("iris").to_frame().to_sql("flowers", shop, index=False)
        shop.execute("CREATE TABLE mixed (x, kind)")
        shop.execute("INSERT INTO mixed VALUES (1, 'a'), ('one', 'b')")
    shop.close()
    tables = {
        "flowers": 'table = "flowers"\nmax_rows = 150',
        "too-many": 'table = "flowers"\nmax_rows = 149',
        "gone": 'table = "secret_flowers"',
        "mixed": 'table = "mixed"',
        "no-table": "",
    }
    secrets.write_text(
        "\n".join(
            f'[connections.{name}]\nurl = "sqlite:///{path}"\n{settings}'
            for name, settings in tables.items()
        )
    )
    before = config.get_option("secrets.files")
    config.set_option("secrets.files", [str(secrets)])
    secrets_singleton._reset()
    yield open_app()
    config.set_option("secrets.files", before)
    secrets_singleton._reset()


def test_a_table_is_loaded_by_its_name(app):
    assert app.pills(key="data.connection").options == ["flowers", "too\\-many", "gone", "mixed"]
    app.pills(key="data.connection").set_value("flowers").run()
    assert_fine(app)
    data = data_of(app)
    assert data.n_rows == 150 and data.target_name == "species"
    assert app.session_state[state.SOURCE].origin.name == "flowers.parquet"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("too-many", "limit of 149 rows"),
        ("gone", "could not be read"),
        ("mixed", "could not be read"),
    ],
)
def test_what_cannot_be_loaded_is_said_without_its_address(app, name, message):
    before = data_of(app)
    app.pills(key="data.connection").set_value(name).run()
    assert_fine(app)
    assert message in main_text(app)
    assert "sqlite" not in main_text(app) and "shop.db" not in main_text(app)
    assert data_of(app) is before
