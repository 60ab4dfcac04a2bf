"""Page Data with a table too large to be held: read in a job, held in part, said on every page."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from lincore.io import read_table
from lincore.limits import LIMITS, table_limits
from pages.ui.session import sources, state
from tests.app.data_page import bring, data_of, jobs_of, source_of
from tests.app.settling import settled
from tests.app.test_pages import ROOT, assert_fine

N_ROWS = 4_000
SMALL = replace(LIMITS, max_table_bytes=50_000, max_rows_in_memory=400, max_drawn_bytes=20_000)


@pytest.fixture(autouse=True)
def small_budget(monkeypatch):
    """Let a table of some kilobytes be too large."""
    monkeypatch.setattr("lincore.io.read_table", partial(read_table, limits=SMALL))
    monkeypatch.setattr(sources, "LONG_BYTES", 50_000)


def a_large_table(**more: object) -> bytes:
    rng = np.random.default_rng(0)
    codes = rng.choice(2, N_ROWS, p=[0.75, 0.25])
    frame = pd.DataFrame(rng.normal(size=(N_ROWS, 2)) + codes[:, None], columns=["u", "v"])
    frame = frame.round(4).assign(**more, kind=np.array(["no", "yes"])[codes])
    return frame.to_csv(index=False).encode()


def opened() -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
    return app.switch_page("pages/data.py").run()


def said(app: AppTest) -> str:
    parts = [*app.markdown, *app.caption, *app.header, *app.error]
    return " ".join(part.value.replace("\\", "") for part in parts)


def button(app: AppTest, begin: str):
    return next(one for one in app.button if one.label.replace("\\", "").startswith(begin))


@pytest.mark.usefixtures("unfolded")
def test_a_large_table_is_held_in_part_and_every_page_says_so():
    app = bring(opened(), ("large.csv", a_large_table()))
    data = data_of(app)
    assert data.n_rows + data.n_streamed == N_ROWS
    words = said(app)
    assert f"4,000 rows: {data.n_rows} are in memory" in words
    assert f"the other {data.n_streamed:,} are streamed and summed by class" in words
    assert "4,000 rows of 3 columns, read in blocks" in words
    assert "They were drawn at random from 4,000" in words
    assert app.selectbox(key="data.missing").options == ["Leave the row out"]
    app.switch_page("pages/classify.py").run()
    assert_fine(app)
    assert f"{data.n_streamed:,} streamed rows" in said(app)
    assert f"training rows and {data.n_streamed:,} streamed rows" in said(app)
    app.selectbox(key="classify.classifier").set_value("logistic").run()
    settled(app)
    assert_fine(app)
    assert f"{data.n_streamed:,} streamed rows, the classifier in" in said(app)
    app.switch_page("pages/explore.py").run()
    assert_fine(app)
    app.switch_page("pages/compare.py").run()
    assert_fine(app)
    for _ in range(50):
        job = jobs_of(app)["compare.run"]
        if job.is_over:
            break
        job.wait(10)
    app.run()
    assert_fine(app)
    assert f"also learned from {data.n_streamed:,} streamed rows" in said(app)
    app.session_state["settings.balance"] = {"repeats": 3}
    app.switch_page("pages/balance.py").run()
    assert_fine(app)
    assert f"All models also learn from the {data.n_streamed:,} streamed rows" in said(app)
    job = jobs_of(app)["balance.cost"]
    job.wait(500)
    assert data.n_streamed < job.result.counts.sum() < N_ROWS
    app.run()
    assert_fine(app)


@pytest.mark.usefixtures("unfolded")
def test_the_limits_that_the_page_states_are_those_of_the_server():
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    megabytes = LIMITS.max_file_bytes // 10**6
    assert settings["server"]["maxUploadSize"] == megabytes
    app = opened()
    assert f"up to {megabytes} MB" in said(app)
    assert table_limits() in said(app).replace("\xa0", " ").replace("\u2060", "")


def test_another_target_and_another_role_are_read_anew():
    half = np.arange(N_ROWS) % 2
    app = bring(opened(), ("large.csv", a_large_table(half=half)))
    assert data_of(app).feature_names == ("u", "v", "half")
    app.selectbox(key="data.target").select("half").run()
    assert_fine(app)
    assert data_of(app).classes.tolist() == ["no", "yes"], "names of the former target cannot stay"
    button(app, "Ignore 'kind'").click().run()
    assert_fine(app)
    data = data_of(app)
    assert data.feature_names == ("u", "v")
    assert data.classes.tolist() == [0, 1]
    assert (data.counts + data.blocks.moments.count).tolist() == [N_ROWS / 2, N_ROWS / 2]


def test_what_cannot_be_read_in_blocks_is_refused_with_both_ways_out():
    raw = a_large_table(colour=np.array(["red", "blue"])[np.arange(N_ROWS) % 2])
    app = bring(opened(), ("large.csv", raw))
    assert data_of(app).name == "iris"
    assert "cannot be read in blocks either" in said(app)
    button(app, "Use only the randomly drawn rows").click().run()
    assert_fine(app)
    data = data_of(app)
    assert data.has_categories
    assert data.n_streamed == 0
    assert data.n_rows < N_ROWS
    app.button(key="data.undo.drawn_only.0").click().run()
    assert "cannot be read in blocks either" in said(app)
    button(app, "Ignore 'colour'").click().run()
    assert_fine(app)
    assert data_of(app).n_streamed > 0
    assert source_of(app).is_in_blocks


def test_a_large_file_that_is_no_table_leaves_the_former_in_use():
    app = bring(opened(), ("large.csv", b"\0" * 90_000))
    assert data_of(app).name == "iris"
    assert app.session_state[state.REFUSED].notice.remedy
