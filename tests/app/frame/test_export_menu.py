"""The popover Export: every file is of what the page shows, and made on a click."""

from __future__ import annotations

import ast
import io
import json
import zipfile

import pandas as pd
import pytest

from lincore import export
from pages.ui.frame import export_menu
from tests.app.settling import settled
from tests.app.test_pages import choose_sample, figures, main_text, open_app

ENDINGS = ["html", "py", "ipynb", "csv.zip", "tex", "md", "figures.zip", "figures.html"]


def opened(page: str, sample: str = "wine"):
    app = open_app()
    choose_sample(app, sample)
    app.session_state["settings.balance"] = {"repeats": 2}
    app.switch_page(f"pages/{page}.py").run()
    settled(app)
    app.session_state[export_menu.KEY] = True
    return settled(app.run())


def taken(app) -> export_menu.ShownResults:
    return app.session_state[export_menu.SHOWN]


#: Every page, and how its report begins.
TITLES = {
    "data": ["Data", "Columns", "Methods"],
    "explore": ["Data", "Association with the class", "Column by class"],
    "classify": ["Data", "Model: LDA", "Geometry of LDA"],
    "compare": ["Data", "Comparison", "Pairwise comparisons"],
    "balance": ["Data", "Imbalance study: error decomposition", "Imbalance study: corrections"],
    "predict": ["Data", "Predicted classes", "Scores of the predictions"],
    "geometry": ["Data", "Methods", "Settings"],
}


@pytest.mark.parametrize("page", TITLES)
@pytest.mark.usefixtures("unfolded")
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


@pytest.mark.usefixtures("unfolded")
def test_the_report_holds_the_other_pages_of_the_same_experiment():
    app = opened("classify")
    app.switch_page("pages/compare.py").run()
    settled(app)
    sections = taken(app).sections()
    assert [section.title for section in sections][:3] == ["Data", "Model: LDA", "Geometry of LDA"]
    assert "Comparison" in [section.title for section in sections]
    assert "lincore.fit(" in sections[-1].code and "lincore.compare(" in sections[-1].code
    app.number_input(key="sidebar.test_size").set_value(20.0).run()
    settled(app)
    assert "Model: LDA" not in [section.title for section in taken(app).sections()]


def test_the_displays_of_the_report_are_chosen_one_by_one():
    app = opened("classify")
    app.session_state["classify.panels"] = "What was learned"
    settled(app.run())
    shown = taken(app)
    offered, usual = shown.choices()
    assert [*export.report_displays(shown.contents())] == usual
    assert {one.key for one in shown.shown()} <= {one.key for one in offered.values()}
    app.toggle(key="take.choose").set_value(True).run()
    ask = app.multiselect(key="take.displays")
    assert ask.options == [*offered] and ask.value == usual
    added = next(title for title in offered if title not in usual)
    ask.set_value(["Confusion of LDA", added]).run()
    settled(app)
    titles = [section.title for section in taken(app).sections()]
    assert titles == ["Data", "Confusion of LDA", added, "Methods", "Settings", "Script"]
    code = taken(app).sections()[-1].code
    assert "print(model.confusion())" in code and "model.roc" not in code
    # Other pages keep theirs.
    app.switch_page("pages/compare.py").run()
    settled(app).run()
    titles = [section.title for section in taken(app).sections()]
    assert titles[1:4] == ["Confusion of LDA", "Comparison", "Pairwise comparisons"]


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
    assert page.count("<figure>") == len(titles)


def test_other_figures_and_results_follow_a_change():
    app = opened("classify")
    first = taken(app)
    app.selectbox(key="classify.classifier").set_value("qda").run()
    settled(app)
    second = taken(app)
    assert second is not first and second.parts["model"].name == "QDA"
    assert [s.title for s in second.sections()][1] == "Model: QDA"


def test_scores_are_offered_without_lincore_or_there_is_a_reason():
    app = opened("classify")
    app.toggle(key="take.plain").set_value(True).run()
    settled(app)
    assert "take.sklearn.zip" in [one.key for one in app.get("download_button")]
    app.selectbox(key="classify.classifier").set_value("fisher").run()
    settled(app)
    assert "take.sklearn.zip" not in [one.key for one in app.get("download_button")]
    reason = "Not available: scikit-learn has no exact counterpart of Fisher's discriminant."
    assert reason in [one.value.replace("\\", "") for one in app.caption]
