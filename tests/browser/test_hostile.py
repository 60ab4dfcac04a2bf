"""Files that mean harm, brought to the page: nothing of them runs, and what was in use stays."""

from __future__ import annotations

import numpy as np
import pytest

from tests.lincore.io.test_hostile_tables import REFUSED
from tests.long.test_hostile_zips import CORPUS
from tests.long.test_large_hostile_tables import HOSTILE

pytestmark = pytest.mark.browser

TABLES = (
    "empty",
    "100,000 columns",
    "nothing but commas",
    "a pickle",
    "a gzip bomb",
    "Parquet cut off",
    "Parquet of a long text, often",
    "quotation marks",
    "a web page",
    "JSON lines of lists",
    "Parquet encrypted",
    "Parquet with 20 million equal rows",
)
ZIPS = ("forty-two", "overlapping", "arrays-of-objects", "arrays-that-lie", "cut-off")

RUN = "window.lincoreWasRun = 1"
NAMES = (
    f"<img src=x onerror='{RUN}'>",
    f"<script>{RUN}</script>",
    f"[link](javascript:{RUN})",
    "![picture](http://localhost:1/x.png)",
    ":material/delete: :red[x]",
    r"$\frac{1}{0}$ `code` **bold**",
    "=cmd|' /c calc'!A0",
)
LABELS = (f"<img src=x onerror='{RUN}'>", f"[link](javascript:{RUN})")


def a_table_of_markup() -> bytes:
    rng = np.random.default_rng(0)
    lines = [",".join(f'"{name}"' for name in (*NAMES, "class"))]
    for i in range(80):
        numbers = ",".join(f"{value:.3f}" for value in rng.normal(i % 2, 1, len(NAMES)))
        lines.append(f'{numbers},"{LABELS[i % 2]}"')
    return "\n".join(lines).encode()


@pytest.mark.long
def test_what_is_hostile_is_refused_and_the_good_table_stays(dashboard):
    rows = "".join(f"{i}.5,{i * i % 7},{'ab'[i % 2]}\n" for i in range(40))
    dashboard.goto()
    dashboard.upload("data.upload", ("good.csv", f"u,v,class\n{rows}".encode()))
    known = REFUSED | HOSTILE | CORPUS
    for name in (*TABLES, *ZIPS):
        make = known[name][0]
        dashboard.upload("data.upload", (f"{name}.bin", make()))
        dashboard.page.get_by_text("Current data: good").wait_for()
        assert "good: 40 rows of 2 features in 2 classes" in dashboard.text(), name
        dashboard.check()


def test_markup_in_names_and_labels_is_shown_and_never_run(dashboard):
    dashboard.goto()
    name = f"<img src=x onerror='{RUN}'>.csv"
    dashboard.upload("data.upload", (name, a_table_of_markup()))
    assert "80 rows of 7 features in 2 classes" in dashboard.text()
    for page in ("explore", "classify", "data"):
        dashboard.visit(page)
        assert dashboard.page.evaluate("window.lincoreWasRun") is None
        assert not dashboard.page.locator("img[src='x'], a[href^='javascript']").count()
        dashboard.check()
