"""The popover Export: every file is of what the page shows, and made on a click."""

from __future__ import annotations

import ast
import io
import json
import zipfile

import pandas as pd
import pytest

from lincore import export
from pages.ui.jobs import page_jobs
from pages.ui.session import take_away
from tests.app.settling import settled
from tests.app.test_pages import choose_sample, figures, main_text, open_app

ENDINGS = ["html", "py", "ipynb", "csv.zip", "tex", "md", "figures.zip", "figures.html"]


@pytest.fixture(autouse=True)
def nothing_shared():
    page_jobs.shared.clear()


def opened(page: str, sample: str = "wine"):
    app = open_app()
    choose_sample(app, sample)
    app.session_state["balance.cost.repeats"] = 2
    app.switch_page(f"pages/{page}.py").run()
    settled(app)
    app.session_state[take_away.KEY] = True
    return settled(app.run())


def taken(app) -> take_away.ShownResults:
    return app.session_state[take_away.SHOWN]


#: Every page, and how its report begins.
TITLES = {
    "data": ["Data", "Methods", "Settings"],
    "explore": ["Data", "Association with the class", "Column by class"],
    "classify": ["Data", "Model: LDA", "Scores of LDA"],
    "compare": ["Data", "Comparison", "Pairwise comparisons"],
    "balance": ["Data", "Imbalance study", "Imbalance study: corrections"],
    "predict": ["Data", "Predicted classes", "Scores of the predictions"],
    "geometry": ["Data", "Methods", "Settings"],
}


@pytest.mark.parametrize("page", TITLES)
def test_every_page_offers_every_file_of_what_it_shows(page):
    app = opened(page)
    offered = {one.key: None for one in app.get("download_button")}
    keys = [key for key in offered if key.startswith("take.")]
    assert keys == [f"take.{ending}" for ending in ENDINGS]
    shown = taken(app)
    assert shown.analysis.question.kind.startswith(page)
    ast.parse(export.to_script(shown.analysis))
    assert json.loads(export.to_notebook(shown.analysis))["nbformat"] == 4

    sections = shown.sections()
    assert [section.title for section in sections][:3] == TITLES[page]
    assert sections[-1].title == "Script" and 'lincore.sample("wine")' in sections[-1].code
    if page in ("classify", "compare"):
        title = TITLES[page][2 if page == "classify" else 1]
        sentence = next(section for section in sections if section.title == title)
        assert sentence.sentences[0] in main_text(app).replace("\\", "")

    drawn = {key: one for key, one in shown.figures.items() if not key.startswith("sidebar.")}
    assert drawn or page == "data"
    for key, figure in drawn.items():
        assert {f"{key}.download.html", f"{key}.download.csv"} <= set(offered)
        assert len(export.figure_to_csv(figure).splitlines()) > 1


def test_the_report_holds_the_other_pages_of_the_same_experiment():
    app = opened("classify")
    app.switch_page("pages/compare.py").run()
    settled(app)
    sections = taken(app).sections()
    assert [section.title for section in sections][:3] == ["Data", "Model: LDA", "Scores of LDA"]
    assert "Comparison" in [section.title for section in sections]
    assert "lincore.fit(" in sections[-1].code and "lincore.compare(" in sections[-1].code
    app.number_input(key="sidebar.test_size").set_value(20.0).run()
    settled(app)
    assert "Model: LDA" not in [section.title for section in taken(app).sections()]


def test_the_figures_are_those_on_the_page():
    shown = taken(app := opened("classify"))
    titles = [figure.layout.meta["title"] for figure in shown.drawn()]
    drawn = [one["layout"]["meta"]["title"] for one in figures(app)]
    assert titles == [title for title in drawn if not title.startswith("Class balance")]
    archive = zipfile.ZipFile(io.BytesIO(export.figures_to_csv(shown.drawn())))
    assert len(archive.namelist()) == len(titles)
    frame = pd.read_csv(archive.open(archive.namelist()[0]))
    assert {"trace", "x", "y"} <= set(frame.columns) and len(frame) > 50
    page = export.render_html("t", [export.Section("Figures", figures=tuple(shown.drawn()))])
    assert page.count("<figure>") == len(titles) == page.count("<figcaption>")


def test_other_figures_and_results_follow_a_change():
    app = opened("classify")
    first = taken(app)
    app.selectbox(key="classify.word").set_value("qda").run()
    settled(app)
    second = taken(app)
    assert second is not first and second.parts["model"].name == "QDA"
    assert [s.title for s in second.sections()][1] == "Model: QDA"
