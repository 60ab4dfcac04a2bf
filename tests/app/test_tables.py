"""Tables of all pages are safe to download and open in a spreadsheet."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.jobs import page_jobs
from pages.ui.widgets import tables
from tests.app.classify.test_classify import open_classify
from tests.app.settling import settled
from tests.app.test_pages import open_app, upload

ROOT = Path(__file__).resolve().parents[2]
FORMULA = re.compile(r"^\s*[=+@|%\t]|^\s*-(?![\d.,]+$)")
OPEN = {
    "pages/predict.py": (),
    "pages/classify.py": ("classify.panels", "Scores", "What if"),
    "pages/data.py": (),
    "pages/compare.py": (
        "compare.panels",
        "Pairwise comparisons",
        "Disagreements",
        "Recall by class",
    ),
    "pages/balance.py": (
        "balance.tabs",
        "Class-size sweep",
        "Priors in deployment",
        "Costs",
        "Scores",
    ),
}


def hostile() -> bytes:
    """Return a table whose header, levels and classes are formulas."""
    rng = np.random.default_rng(0)
    lines = ["=cmd|' /C calc'!A0,@SUM(1+1),-2+3,+name"]
    for i in range(90):
        x, y = rng.normal(size=2).round(2) + i % 3
        level = ("=A1", "+B2", "@C3")[rng.integers(3)]
        lines.append(f"{x},{y},{level},{('=HYPERLINK(0)', '-1+2', '@me')[i % 3]}")
    return "\n".join(lines).encode()


def texts(app: AppTest) -> list[str]:
    """Return every name and every text of every table on the screen."""
    found = []
    for table in app.dataframe:
        frame = table.value
        found += [str(name) for name in frame.columns]
        found += [str(one) for one in frame.to_numpy().ravel() if isinstance(one, str)]
    return found


@pytest.mark.parametrize(
    "page",
    [
        "pages/predict.py",
        "pages/classify.py",
        *(pytest.param(page, marks=pytest.mark.long) for page in list(OPEN)[2:]),
    ],
)
def test_no_table_holds_a_formula(page):
    page_jobs.shared.clear()
    app = upload(open_app(), "hostile.csv", hostile())
    app.session_state["settings.balance"] = {"repeats": 2}
    app.switch_page(page).run()
    settled(app)
    key, *tabs = OPEN[page] or ("",)
    seen = texts(app)
    for tab in tabs:
        app.session_state[key] = tab
        seen += texts(settled(app))
    assert any(text.startswith("'") for text in seen), "no hostile text was seen at all"
    assert not [text for text in seen if FORMULA.search(text)]


def test_every_table_is_drawn_in_one_place():
    sources = [*(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]
    drawn = [
        path.name
        for path in sources
        if re.search(r"\bst\.(dataframe|data_editor|table|write)\(", path.read_text())
    ]
    assert drawn == ["tables.py"]


def test_what_is_harmless_stays_as_it_is():
    frame = pd.DataFrame({"n": [-1.5, 2.0], "c": pd.Categorical(["a", "b"]), "t": ["-1,5", "x"]})
    pd.testing.assert_frame_equal(tables.safe(frame), frame)
    twice = pd.DataFrame([["=a", 1]], columns=["x", "x"])
    assert tables.safe(twice).to_numpy().tolist() == [["'=a", 1]]


def departments() -> bytes:
    """Return a table of twelve classes with long names."""
    rng = np.random.default_rng(0)
    lines = ["x,y,department"]
    for i in range(240):
        name = f"Department of studies of every kind and of their history, office {i % 12:02d}"
        x, y = rng.normal(size=2).round(2) + [i % 4, i % 3]
        lines.append(f"{x},{y},{name}")
    return "\n".join(lines).encode()


def test_long_names_of_classes_leave_room_for_their_posteriors():
    page_jobs.shared.clear()
    app = upload(open_app(), "departments.csv", departments())
    app.switch_page("pages/classify.py").run()
    app.session_state["classify.panels"] = "What if"
    (posteriors,) = (t for t in settled(app).dataframe if "posterior" in t.value)
    assert max(map(len, posteriors.value["class"])) <= 24


def test_a_table_of_eleven_rows_shows_the_eleventh(monkeypatch):
    shown, show = [], tables.show

    def watched(frame, **options):
        shown.append((len(frame), options))
        return show(frame, **options)

    monkeypatch.setattr(tables, "show", watched)
    app = open_classify("lda", "iris")
    app.session_state["classify.panels"] = "Errors by part"
    settled(app)
    n_rows, options = shown[-1]
    assert 10 < n_rows <= 16 and options["height"] == "content"
