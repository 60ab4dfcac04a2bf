"""Stepwise LDA on Classify and Compare: chosen, told, and its tab only where a model selects."""

from __future__ import annotations

import lincore
from tests.app.classify.test_classify import open_classify
from tests.app.compare.test_compare_page import open_compare, open_tab
from tests.app.data_page import plain
from tests.app.settling import settled
from tests.app.test_pages import assert_fine, figures, main_text

SELECTION = "experiment.lda.selection"


def test_classify_tells_the_steps():
    app = open_classify("lda", "wine")
    app.session_state["classify.options"] = True
    app.session_state["classify.panels"] = "What was learned"
    app.run()
    assert "Stepwise selection" not in main_text(app)
    app.selectbox(key=SELECTION).set_value("stepwise").run()
    settled(app)
    assert_fine(app)
    data = lincore.sample("wine")
    finding = lincore.fit(data, "lda(selection=stepwise)").selection().finding()
    assert plain(main_text(app)).count(plain(finding)) == 2, (
        "below the plot, and as what was learned"
    )
    steps = app.dataframe[-4].value
    assert steps["feature"].tolist()[0] == "flavanoids" and steps["step"].tolist()[-1] == 10


def test_compare_has_a_tab_if_a_model_selects():
    app = open_compare("wine", methods=["lda", "qda"], scheme="5-fold")
    assert "Stepwise selection" not in [tab.label for tab in app.tabs]
    app.session_state["compare.options"] = app.session_state["compare.lda.expander"] = True
    app.run()
    app.selectbox(key=SELECTION).set_value("stepwise").run()
    app.button(key="compare.run.update").click().run()
    app = open_tab(settled(app), "Stepwise selection")
    assert_fine(app)
    data = lincore.sample("wine")
    results = lincore.compare(data, ["lda(selection=stepwise)", "qda"], "5-fold")
    said = plain(main_text(app))
    assert plain(results.selection().finding()) in said
    assert plain(results.selection_optimism().finding()) in said
    assert any("share of folds (%)" in str(figure) for figure in figures(app))
