"""A report in a real Chromium: it fetches nothing, runs nothing foreign, and is accessible."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import lincore
from tests.browser.axe import assert_accessible

EVIL = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Write a report on data with hostile names, and return its address."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(80, 2)), columns=[EVIL, "width"])
    frame["kind"] = np.where(frame[EVIL] + rng.normal(size=80) > 0, EVIL, "b")
    data = lincore.load(frame, target="kind", name="flowers")
    model = lincore.fit(data, "lda")
    page = lincore.export.html_report(
        data,
        split=model.split,
        model=model,
        comparison=lincore.compare(data, ["lda", "qda"]),
        script=EVIL,
    )
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page, "utf-8")
    return path.as_uri()


@pytest.mark.parametrize(
    ("width", "scheme"), [(1280, "light"), pytest.param(390, "dark", marks=pytest.mark.long)]
)
def test_a_report_draws_itself_and_asks_nobody(chromium, address, width, scheme):
    context = chromium.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    asked, faults = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text))
    page.goto(address)
    page.wait_for_function("document.querySelectorAll('.plot .main-svg').length > 8")
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert faults == [] and page.evaluate("window.hacked") is None
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ink = page.evaluate("getComputedStyle(document.querySelector('.plot text.gtitle')).fill")
    assert ink == ("rgb(22, 22, 29)" if scheme == "light" else "rgb(232, 232, 239)")
    assert_accessible(page)
    if scheme == "dark":  # on paper it is light all the same
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        ink = page.evaluate("getComputedStyle(document.querySelector('.plot text.gtitle')).fill")
        assert ink == "rgb(22, 22, 29)"
        assert page.pdf()[:5] == b"%PDF-"
    context.close()
