"""Every link of the course and of the table of texts opens what it names."""

from __future__ import annotations

import re
import runpy
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from lincore.analysis import Analysis
from tests.app.test_pages import ROOT, assert_fine

DOCS = ROOT / "docs"
MADE: dict[str, Any] = runpy.run_path(str(DOCS / "links.py"))
DEFINED = re.compile(r"^\[([a-z-]+)\]: \S+?/(\w+)\?analysis=(\S+)$", re.MULTILINE)


def links() -> dict[str, tuple[str, str]]:
    """Return the page and the query of every link, by its name."""
    texts = [(DOCS / page).read_text(encoding="utf-8") for page in MADE["PAGES"]]
    found = [match for text in texts for match in DEFINED.findall(text)]
    return {name: (page, query) for name, page, query in found}


LINKS = links()


def test_no_link_is_outdated_undefined_or_unused():
    for page in MADE["PAGES"]:
        text = (DOCS / page).read_text(encoding="utf-8")
        assert MADE["with_definitions"](text) == text, "run python docs/links.py"
    # Presets of the laboratory come in where a step of the course wants them.
    assert {name for name in MADE["LINKS"] if not name.startswith("g-")} <= set(LINKS)


def test_every_row_of_the_texts_is_there():
    text = (DOCS / "texts.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([LFPQS])(\d+) \|", text, flags=re.MULTILINE)
    count = {letter: sum(first == letter for first, _ in rows) for letter in "LFPQS"}
    assert count == {"L": 46, "F": 49, "P": 42, "Q": 22, "S": 19}


@pytest.mark.long
@pytest.mark.parametrize("name", LINKS)
def test_a_link_opens_what_it_names(name):
    page, query = LINKS[name]
    wanted = Analysis.from_query(query)
    app = AppTest.from_file(ROOT / "app.py", default_timeout=300).switch_page(f"pages/{page}.py")
    app.query_params["analysis"] = query
    app.run()
    assert_fine(app)
    shown = app.query_params["analysis"]
    found = Analysis.from_query(shown[0] if isinstance(shown, list) else shown)
    assert found.data == wanted.data and type(found.question) is type(wanted.question)
    assert found.steps.n_components == wanted.steps.n_components
    assert (found.steps.basis is None) is (wanted.steps.basis is None)
    assert found.options == wanted.options
    kept = {key: found.view.get(key) for key in wanted.view}
    assert kept == dict(wanted.view)
