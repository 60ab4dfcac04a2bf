"""A report is one file that fetches nothing and obeys no name from the data."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import lincore
from lincore import export, report
from lincore.export import Section, SectionTable

EVIL = "</script><script>window.hacked = 1</script>"
IMAGE = '"><img src=http://evil.example/x onerror=alert(1)>'


class Elements(HTMLParser):
    """The elements of a page: tag and attributes, and the text of scripts and of the rest."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.text, self._in_script = "", False
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        """Keep an element."""
        self.tags.append((tag, dict(attributes)))
        self._in_script = tag in ("script", "style")
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        """Leave a script."""
        self._in_script = False

    def handle_data(self, data):
        """Keep text, that of scripts by itself."""
        if self._in_script:
            if self.scripts:
                self.scripts[-1] += data
        else:
            self.text += data

    def count(self, tag: str) -> int:
        """Return how often an element occurs."""
        return sum(found == tag for found, _ in self.tags)


def fitted(data, spec="lda"):
    model = lincore.fit(data, spec)
    return model.split, model


@pytest.fixture(scope="module")
def gaussian():
    data = lincore.sample("gaussian")
    split, model = fitted(data)
    parts = {
        "split": split,
        "model": model,
        "comparison": lincore.compare(data, ["lda", "qda"], "3-fold"),
        "cost": lincore.imbalance_cost(data, "lda", repeats=5),
        "study": lincore.balance(data, {"class 3": 11}, "lda", repeats=5),
        "loss": "recall of class 3",
        "script": "print('1 < 2 & 3')\n",
    }
    return data, parts, export.html_report(data, **parts)


def plain(page: str) -> str:
    return " ".join(Elements(page).text.replace("\u00a0", " ").split())


def test_it_is_one_file_that_fetches_nothing(gaussian):
    page = Elements(gaussian[2])
    assert len(gaussian[2].encode()) < 8_000_000
    assert sum("Plotly Technologies" in one or "plotly.js v" in one for one in page.scripts) == 1
    fetching = {"src", "href", "srcset", "action", "data"}
    addresses = [
        value for _, found in page.tags for name, value in found.items() if name in fetching
    ]
    assert addresses and all(address.startswith("#section-") for address in addresses)
    assert not any(page.count(tag) for tag in ("link", "iframe", "img", "object", "base"))
    policy = next(found["content"] for _, found in page.tags if "http-equiv" in found)
    assert "default-src 'none'" in policy and "http" not in policy


def test_every_figure_is_there_with_its_text_alternative(gaussian):
    data, parts, page = gaussian
    sections = export.report_sections(export.ReportContents(data, **parts))
    figures = [figure for section in sections for figure in section.figures]
    for figure in figures:
        go.Figure(figure.to_dict())  # an error if a property is invalid
    found = Elements(page)
    kept = [json.loads(text) for text, (_, names) in zip(
        found.scripts, [one for one in found.tags if one[0] == "script"], strict=True
    ) if names.get("type") == "application/json"]  # fmt: skip
    assert [one["layout"]["meta"]["alt"] for one in kept] == [
        figure.layout.meta["alt"] for figure in figures
    ]
    labels = [names["aria-label"] for tag, names in found.tags if names.get("role") == "group"]
    assert len(labels) == len(figures) == 14 and all(len(label) > 20 for label in labels)


def test_its_sentences_and_cells_are_those_of_the_library(gaussian):
    data, parts, page = gaussian
    text, results = plain(page), parts["model"].results
    for sentence in (
        report.classification_finding(results, "LDA"),
        report.comparison_finding(lincore.metrics.rank_methods(parts["comparison"])),
        parts["cost"].decomposition("lda", "recall of class 3").finding(),
        parts["study"].decomposition("lda", loss="recall of class 3").finding(),
    ):
        assert sentence in text
    for row in parts["comparison"].scores().table().to_dict("records"):
        assert all(str(cell) in text for cell in row.values() if cell)
    for row in parts["model"].scores().table().to_dict("records"):
        assert all(cell in text for cell in row.values())
    assert data.digest in text and "print('1 < 2 & 3')" in Elements(page).text


def test_headings_tables_and_landmarks_are_semantic(gaussian):
    page = Elements(gaussian[2])
    assert page.count("h1") == page.count("main") == page.count("nav") == 1
    assert page.count("section") == page.count("h2") > 8
    heads = [names.get("scope") for tag, names in page.tags if tag == "th"]
    assert set(heads) == {"col", "row"}
    assert page.tags[0] == ("html", {"lang": "en"})


def test_names_from_the_data_are_not_obeyed():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=[EVIL, IMAGE])
    frame["<!--<script>"] = rng.choice([EVIL, "-->&lt;b&gt;"], 60)
    frame["target"] = np.where(frame[EVIL] > 0, EVIL, IMAGE)
    data = lincore.load(frame, target="target", name=EVIL)
    split, model = fitted(data)
    found = lincore.compare(data, ["lda", "logistic"], "3-fold")
    study = lincore.balance(data, {data.classes[0]: 5}, "lda", repeats=2)
    cost = lincore.imbalance_cost(data, "lda", repeats=2)
    page = export.html_report(
        data, title=EVIL, split=split, model=model, comparison=found, study=study, cost=cost,
        file_name=IMAGE, script=f"name = {EVIL!r}",
    )  # fmt: skip
    found = Elements(page)
    assert page.count("</script>") == page.count("<script") == found.count("script")
    assert found.count("img") == found.count("b") == 0
    assert not [names for _, names in found.tags if any(name.startswith("on") for name in names)]
    assert EVIL in found.text and IMAGE in found.text
    assert "<!--" not in re.sub(r"<script nonce.*?</script>", "", page, flags=re.DOTALL)


def test_a_report_of_data_alone_is_short_and_needs_no_script():
    page = export.html_report(lincore.sample("iris"))
    assert Elements(page).count("script") == 0 and len(page) < 20_000
    assert "150 rows of 4 features in 3 classes" in page


@pytest.mark.parametrize("name", ["digits", pytest.param("faces", marks=pytest.mark.long)])
def test_images_and_many_classes_have_a_report(name):
    data = lincore.sample(name).take(slice(0, 360))
    split, model = fitted(data, "least-squares")
    titles = [
        section.title
        for section in export.report_sections(export.ReportContents(data, split, model))
    ]
    assert titles[:3] == ["Data", "Model: Least squares", "Geometry of Least squares"]


def test_words_have_a_report():
    frame = pd.DataFrame({"text": ["good film", "bad film"] * 20, "y": ["a", "b"] * 20})
    data = lincore.load(frame, target="y", roles={"text": "text"})
    split, model = fitted(data, "multinomial-nb")
    page = export.html_report(data, split=split, model=model)
    assert "of them counts of words" in page and "Assumptions" not in page


def test_figures_too_large_for_the_file_are_left_out_with_their_text():
    figures = [
        go.Figure(
            go.Heatmap(z=np.zeros((n, n), dtype=np.float32)),
            {"meta": {"title": f"{n} lines", "alt": f"A field of {n} by {n}."}},
        )
        for n in (900, 10)
    ]
    page = export.render_html("T", [Section("S", figures=tuple(figures))])
    assert len(page.encode()) < 8_000_000
    drawn = [found for tag, found in Elements(page).tags if found.get("type")]
    assert [found["id"] for found in drawn] == ["figure-1-2"] and "10 lines" in page
    assert "900 lines" in page and "A field of 900 by 900. (The figure is too large" in page


def test_other_sections_render_too():
    frame = pd.DataFrame({"a": [1.5, None], "b": ["x (1.0–2.0)", "y"]}, index=["one", "two"])
    page = export.render_html("T", [Section("S", tables=(SectionTable("C", frame, ".1f"),))])
    assert '<td class="number">1.5</td>' in page
    assert 'x <span class="whole">(1.0–2.0)</span>' in page
