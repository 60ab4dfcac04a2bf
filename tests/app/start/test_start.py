"""The start view: what a first visit sees, and where each of its doors leads."""

from __future__ import annotations

import re
from base64 import b64decode
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.session import state
from pages.ui.start import entries, finished_example
from pages.ui.widgets import text
from tests.app.data_page import FOLDERS, a_table, a_zip, bring
from tests.app.session.test_link import asked, page_of
from tests.app.settling import settled
from tests.app.test_pages import ROOT, assert_fine, figures, main_text

DOORS = {
    **{f"start.sample.{name}": door for name, door in entries.SAMPLES.items()},
    **{f"start.learn.{name}": door for name, door in entries.EXPERIMENTS.items()},
}


def open_start() -> AppTest:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=300).run()
    assert_fine(app)
    return app


def test_a_first_visit_opens_on_the_start_view_and_on_no_data():
    app = open_start()
    assert state.DATASET not in app.session_state
    assert [part.value.split(": ")[-1] for part in app.subheader[:3]] == [
        "Upload a file",
        "Try a sample",
        "Learn",
    ]
    assert len(figures(app)) == 2 and len(app.file_uploader) == 1
    assert "iris" not in main_text(app)


def test_the_stored_example_is_what_the_library_computes():
    stored, computed = finished_example.stored(), finished_example.compute()
    for now, then in zip(computed, stored, strict=True):
        if isinstance(now, str):
            assert now == then
        else:
            assert_alike(now.to_plotly_json(), then.to_plotly_json())


def assert_alike(now: Any, then: Any) -> None:
    """Compare figures: arrays are stored in single precision, as they travel."""
    if isinstance(now, dict):
        assert now.keys() == then.keys()
        for name in now:
            assert_alike(now[name], then[name])
    elif isinstance(now, np.ndarray) and now.dtype != object:
        np.testing.assert_allclose(now, values(then), rtol=1e-4, atol=1e-5)
    elif isinstance(now, list | tuple | np.ndarray):
        assert len(now) == len(then)
        for one, other in zip(now, then, strict=True):
            assert_alike(one, other)
    else:
        assert now == (pytest.approx(then) if isinstance(now, float) else then)


def values(stored: Any) -> np.ndarray:
    if not isinstance(stored, dict):
        return np.asarray(stored)
    shape = [int(n) for n in str(stored.get("shape", "-1")).split(",")]
    return np.frombuffer(b64decode(stored["bdata"]), stored["dtype"]).reshape(shape)


def test_the_example_shows_its_words_and_something():
    app = open_start()
    (said,) = [one.value for one in app.subheader if "instead of" in one.value]
    finding = finished_example.stored().finding
    assert said == text.escape(finding)
    before, after = (float(share) for share in re.findall(r"([\d.]+)\s%", finding)[:2])
    assert before - after > 30
    assert all(f"**{word}**" in main_text(app) for word in ("Recall", "Priors"))


def test_every_door_leads_to_its_page_with_its_data():
    app = open_start()
    for key, door in DOORS.items():
        app.switch_page("pages/start.py").run()
        app.button(key=key).click().run()
        assert_fine(app)  # a browser stays there; AppTest would go back in its next run
        assert not app.error and app.header[0].value and figures(app), key
        assert page_of(asked(app)) == door.page, key
        kind = "generated" if key in ("start.learn.geometry", "start.learn.imbalance") else "sample"
        assert asked(app).data.kind == kind, key


def test_the_example_opens_on_balance():
    app = open_start()
    app.button(key="start.example.open").click().run()
    assert_fine(app)
    assert app.session_state[state.DATASET].counts.tolist() == [400, 400, 40]
    assert page_of(asked(app)) == "pages/balance.py"


@pytest.mark.usefixtures("unfolded")
def test_an_upload_on_the_start_view_lands_on_data():
    app = open_start()
    app.file_uploader[0].upload("flowers.csv", a_table())
    app.run()
    assert_fine(app)
    assert "flowers\\: 40 rows" in main_text(app)
    assert app.selectbox(key="sidebar.target").value == "kind"


def test_images_are_decoded_before_the_start_view_gives_way():
    app = open_start()
    bring(app, ("pets.zip", a_zip(FOLDERS)))
    assert "pets\\: 8" in main_text(settled(app))


def test_a_first_file_that_cannot_be_used_is_told_of_and_nothing_else_takes_its_place():
    app = open_start()
    app.file_uploader[0].upload("empty.csv", b"")
    app.run()
    assert_fine(app)
    assert "empty" in app.error[0].value and state.DATASET not in app.session_state
    app.switch_page("pages/data.py").run()
    assert_fine(app)
    assert "empty" in app.error[0].value
