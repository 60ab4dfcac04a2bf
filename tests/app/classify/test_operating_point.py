"""The tab Operating point: its numbers are the library's, and exports carry the threshold."""

from __future__ import annotations

import numpy as np
import pytest

import lincore
from lincore import metrics
from lincore.export import load_model
from pages.ui.classify import export_model
from tests.app.classify.test_classify import choose, open_classify, open_panel
from tests.app.data_page import plain
from tests.app.settling import edit_cells, settled
from tests.app.test_pages import figures, main_text

SETTINGS = "settings.classify.operating"
COST = "expected cost per row"


@pytest.fixture(scope="module")
def model():
    data = lincore.sample("passengers")
    return lincore.fit(data, "lda", lincore.split(data))


def open_tab(**settings):
    app = open_classify(sample="passengers")
    app.session_state[SETTINGS] = settings
    return open_panel(app, "Operating point")


def test_the_slider_moves_all_that_depends_on_the_threshold(model):
    app = open_tab(miss_cost=4.0)
    app.slider(key="classify.operating.threshold").set_value(20.0).run()
    settled(app)
    found = model.operating_point(threshold=0.2, miss_cost=4.0)
    assert app.session_state[SETTINGS] == {"threshold": 0.2, "miss_cost": 4.0}
    assert plain(found.finding()) in plain(main_text(app))
    table = app.dataframe[0].value.set_index("score")
    recall, cost = (found.frame().set_index("score")["value"][name] for name in ("recall", COST))
    assert table["value"]["recall of 'yes'"].startswith(f"{100 * recall.iloc[0]:.1f} % (")
    assert table["value"][COST].startswith(f"{cost:.3f} (")
    confusion, roc, curve, gains = figures(app)[-7:-3]
    assert "75.6 % correct" in confusion["layout"]["meta"]["title"]
    for figure in (roc, curve):
        assert "69.2 %" in figure["layout"]["meta"]["alt"]
    assert "lift 2.17" in gains["layout"]["meta"]["alt"]


def test_cross_validation_chooses_on_the_training_rows(model):
    app = open_tab()
    choose(app, "classify.operating.by", "cross-validation")
    choose(app, "classify.operating.score", "MCC")
    found = model.operating_point(by="cross-validation", score="MCC")
    text = plain(main_text(app))
    assert plain(found.finding()) in text and plain(found.scope()) in text
    assert [one.key for one in app.slider] == ["classify.reject.rejection_cost"]


def test_the_exports_of_the_page_decide_at_the_point(model, monkeypatch):
    files = {}
    monkeypatch.setattr(
        export_model.st,
        "download_button",
        lambda label, data, *, key, **settings: files.update({key.rpartition(".")[2]: data}),
    )
    app = open_tab(threshold=0.2)
    app.session_state[export_model.KEY] = True
    app.run()
    stored, card = load_model(files["file"]())
    rows = model.data.take(model.split.test).to_frame().iloc[:, :-1]
    expected = np.where(stored.predict_proba(rows)["yes"] >= 0.2, "yes", "no").tolist()
    assert stored.predict(rows).tolist() == expected
    assert expected.count("yes") == 86
    app.session_state[SETTINGS] = {"miss_cost": 4.0}
    app.run()
    assert load_model(files["file"]()).model.operating_point is None, "none was chosen"
    app.session_state[SETTINGS] = {"by": "costs", "miss_cost": 4.0}
    app.run()
    assert load_model(files["file"]()).model.operating_point.threshold == pytest.approx(0.2)
    decided = metrics.score(model.at(0.2).results, "LDA", "accuracy")
    assert card.scores["accuracy"]["value"] == pytest.approx(decided.value)


def test_more_classes_have_a_table_of_costs():
    app = open_panel(open_classify(), "Operating point")
    model = lincore.fit(lincore.sample("gaussian"), "lda")
    assert plain(model.operating_point().finding()) in plain(main_text(app))
    costs = (0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 8.0, 1.0, 0.0)
    app = settled(edit_cells(app, "classify.operating.table", {2: {"0": 8.0}}))
    assert app.session_state[SETTINGS]["costs"] == costs
    found = model.operating_point(costs=costs)
    assert plain(found.finding()) in plain(main_text(app))
    assert plain(found.notes()[0]) in plain(main_text(app))


def test_there_is_no_tab_without_posteriors():
    app = open_classify("perceptron", "passengers")
    assert "Operating point" not in [tab.label for tab in app.tabs]
