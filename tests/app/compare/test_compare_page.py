"""Compare, with every scheme, score and panel, on tidy and on messy data, without a browser."""

from __future__ import annotations

import base64
import json
import threading

import numpy as np
import pytest
import scipy.sparse as sp
import streamlit as st
from streamlit.testing.v1 import AppTest

import lincore
from lincore import metrics, plots, report
from lincore.analysis import FileData, SampleData
from lincore.data import Dataset
from lincore.metrics import find_disagreements, leading_score
from lincore.model_selection import CLASSIFIER_LABELS, Steps, default_steps
from lincore.utils import captured_warnings, p_value, percent
from pages.ui.jobs import cache
from pages.ui.session import state
from pages.ui.widgets import tables, text
from tests.app.data_page import plain
from tests.app.settling import settled
from tests.app.test_pages import ROOT, assert_fine, figures, main_text, unbound

PAGE = "pages/compare.py"
TABLE = ["lda", "qda", "naive-bayes", "fisher", "least-squares", "logistic"]


def open_compare(data: Dataset | str = "iris", *, steps: dict | None = None, **session) -> AppTest:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=300)
    app.session_state[state.DATASET] = cache.sample(data) if isinstance(data, str) else data
    described = SampleData(data) if isinstance(data, str) else FileData("table.csv")
    app.session_state[state.SOURCE] = described
    if steps:
        app.session_state["settings.experiment"] = steps
    if session:
        app.session_state["settings.compare"] = session | {"methods": tuple(session["methods"])}
    app.switch_page(PAGE).run()
    return settled(app)


def hold_logistic(monkeypatch) -> tuple[threading.Event, threading.Event]:
    """Let fits of logistic regression wait; return what tells that one does, and what ends it."""
    waiting, should_continue = threading.Event(), threading.Event()
    fit = lincore.LogisticRegression.fit

    def slow(self, *arguments, **settings):
        waiting.set()
        assert should_continue.wait(30)
        return fit(self, *arguments, **settings)

    monkeypatch.setattr(lincore.LogisticRegression, "fit", slow)
    return waiting, should_continue


def said(app: AppTest) -> str:
    """Return the sentences of a page without Markdown."""
    return plain(main_text(app))


def open_tab(app: AppTest, label: str) -> AppTest:
    app.session_state["compare.panels"] = label
    return settled(app.run())


def numbers(values) -> np.ndarray:
    if isinstance(values, dict):
        raw = np.frombuffer(base64.b64decode(values["bdata"]), dtype=f"<{values['dtype']}")
        return raw.reshape([int(n) for n in str(values.get("shape", raw.size)).split(",")])
    return np.array(values, dtype=float)


def results_of(data, methods=TABLE, scheme="holdout", steps=None):
    """Return results in the order of the methods."""
    steps = steps or default_steps(data, len(lincore.split(data).train))
    with captured_warnings():
        return lincore.compare(data, methods, scheme, steps=steps)


def compared(*given, **named):
    """Return results, the best method first."""
    return metrics.rank_methods(results_of(*given, **named))


def headline(results, score=None, rope=0.01):
    """Return what the page says first: who leads."""
    return report.comparison_finding(results, score, rope)


def titled(app: AppTest, beginning: str) -> dict:
    (found,) = [f for f in figures(app) if f["layout"]["meta"]["title"].startswith(beginning)]
    return found


@pytest.mark.parametrize("sample", ["passengers", "prml chapter 4"])
def test_a_sample_is_compared_at_once(sample):
    app = open_compare(sample)
    data = lincore.sample(sample)
    results = compared(data, scheme="holdout" if data.given_test is None else "given")
    assert not app.error
    assert app.header[0].value == text.escape(headline(results))
    assert plain(results.scores().scope()) in said(app)
    assert unbound(text.escape(results.pairwise().scope())) in main_text(app)
    leading = leading_score(data.counts)
    assert app.selectbox(key="compare.score").value == leading
    drawn = numbers(titled(app, f"{leading.capitalize()} of")["data"][0]["x"])
    reached = [metrics.score(results, name, leading).value for name in results.methods]
    np.testing.assert_allclose(drawn, reached, rtol=1e-6)
    table = app.dataframe[0].value
    assert list(table["model"]) == [CLASSIFIER_LABELS[name] for name in results.methods]
    for name, shown in zip(results.methods, table["log loss"], strict=True):
        found = metrics.score(results, name, "log loss")
        assert shown == (report.format_score(found, "log loss") or "no posteriors")


@pytest.mark.usefixtures("unfolded")
def test_every_score_with_the_pairs_by_the_library():
    app = open_compare("breast cancer")
    results = results_of(lincore.sample("breast cancer"))
    for score in metrics.SCORES:
        app.selectbox(key="compare.score").set_value(score).run()
        key = "compare.rope.points" if metrics.SCORES[score].is_share else "compare.rope"
        rope = 2.0 if metrics.SCORES[score].is_share else 0.02
        app.number_input(key=key).set_value(rope).run()
        assert_fine(app)
        ranked = metrics.rank_methods(results, score)
        finding = headline(ranked, score, 0.02)
        assert app.header[0].value == text.escape(finding), score
        found = metrics.pairwise_differences(ranked, score, 0.02)
        shown = app.dataframe[1].value
        assert list(shown["verdict"]) == [d.verdict for d in found], score
        assert list(shown["p (Holm)"]) == [p_value(d.p_holm) for d in found], score
        effects = titled(app, f"{sum(d.better is not None for d in found)} of")
        there = [d.value for d in found if not np.isnan(d.value)]
        scale = 100 if metrics.SCORES[score].is_share else 1
        np.testing.assert_allclose(numbers(effects["data"][0]["x"]), scale * np.array(there), 1e-5)


@pytest.mark.parametrize(
    "scheme, word",
    [("5-fold", "5-fold"), ("2x5-fold", "2x5-fold"),
     pytest.param("10x10-fold", "10x10-fold", marks=pytest.mark.long),
     pytest.param("leave-one-out", "leave-one-out", marks=pytest.mark.long)],
)  # fmt: skip
def test_every_scheme(scheme, word):
    app = open_compare("iris", methods=["lda", "qda", "naive-bayes"])
    app.session_state["settings.compare"] = {
        "methods": ("lda", "qda", "naive-bayes"),
        "scheme": scheme,
    }
    app.run()
    assert "Settings have changed" in main_text(app)
    assert "45 test rows" in main_text(app), "the former result stays until then"
    app.button(key="compare.run.update").click().run()
    settled(app)
    assert "Settings have changed" not in main_text(app)
    results = compared(lincore.sample("iris"), ["lda", "qda", "naive-bayes"], word)
    assert app.header[0].value == text.escape(headline(results))
    assert plain(results.scores().scope()) in said(app)
    assert unbound(text.escape(results.pairwise().scope())) in main_text(app)


@pytest.mark.usefixtures("unfolded")
def test_options_and_a_model_that_enters_twice():
    app = open_compare("wine", methods=["lda", "logistic"])
    app.session_state["compare.logistic.expander"] = True
    app.run()
    app.toggle(key="compare.logistic.twice").set_value(True).run()
    key = "compare.second.logistic.C"
    app.number_input(key=key).set_value(0.001).run()
    app.toggle(key="experiment.standardize").set_value(False).run()
    app.button(key="compare.run.update").click().run()
    settled(app)
    methods = ["lda", "logistic", "logistic(C=0.001)"]
    results = compared(lincore.sample("wine"), methods, steps=Steps(False))
    assert app.header[0].value == text.escape(headline(results))
    assert "Logistic regression (C=0.001)" in list(app.dataframe[0].value["model"])
    open_tab(app, "Recall by class")
    names = titled(app, "Every class has a recall of 100 %")["layout"]["xaxis"]["ticktext"]
    assert sorted(names) == ["LDA", "Logisti 1", "Logisti 2"]


def test_qda_that_cannot_be_fitted_is_mended_at_a_click():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(90, 3)), np.arange(90) % 3
    X[codes == 0, 2] = 1.0
    data = Dataset("flat", X + codes[:, None] / 2, codes, np.array(list("abc")), tuple("xyz"))
    app = open_compare(data)
    assert "QDA is left out" in main_text(app).replace("\\", "")
    app.button(key="compare.run.regularise").click().run()
    settled(app)
    methods = [name if name != "qda" else "qda(regularization=0.1)" for name in TABLE]
    results = compared(data, methods)
    assert "Settings have changed" not in main_text(app)
    assert app.header[0].value == text.escape(headline(results))
    assert "QDA (regularization=0.1)" in list(app.dataframe[0].value["model"])
    assert not [b for b in app.button if b.key == "compare.run.regularise"]


def test_recall_and_time_are_the_librarys():
    app = open_tab(open_compare("wine"), "Recall by class")
    results = compared(lincore.sample("wine"))
    (heat,) = titled(app, "Every class has a recall of 100 %")["data"]
    wanted = [[r.value for r in metrics.recall(results, m)] for m in results.methods]
    np.testing.assert_allclose(numbers(heat["z"]), np.array(wanted).T, rtol=1e-6)
    open_tab(app, "Time")
    marks = titled(app, "Time and accuracy")["data"]
    assert [m["name"] for m in marks] == [CLASSIFIER_LABELS[name] for name in results.methods]
    assert all(numbers(m["x"])[0] > 0 for m in marks)


def test_where_two_differ():
    app = open_compare("breast cancer")
    open_tab(app, "Disagreements")
    results = compared(lincore.sample("breast cancer"))
    first, second = (
        app.selectbox(key="compare.rows.first"),
        app.selectbox(key="compare.rows.second"),
    )
    assert first.value == results.methods[0]
    app.selectbox(key="compare.rows.second").set_value("naive-bayes").run()
    found = find_disagreements(results, first.value, "naive-bayes")
    assert second.value != first.value
    finding = results.disagreements(first.value, "naive-bayes").finding()
    assert unbound(text.escape(finding)) in main_text(app) and "Bonett" in main_text(app)
    alone = found.where(found.only_first)
    listed = app.dataframe[-1].value
    assert list(listed["row"]) == alone.rows.tolist()
    app.selectbox(key="compare.rows.which").set_value("second").run()
    assert_fine(app)
    others = found.where(found.only_second)
    assert list(app.dataframe[-1].value["row"]) == others.rows.tolist()


def test_images_on_which_two_differ():
    app = open_tab(
        open_compare("digits", steps={"n_components": 0.95}, methods=["lda", "qda"]),
        "Disagreements",
    )
    assert titled(app, "Disagreements")["data"]
    open_tab(app, "Pairwise comparisons")
    assert not any("Disagreements" in f["layout"]["meta"]["title"] for f in figures(app))


def test_yardsticks_are_fitted_at_a_click_and_leave_the_headline_alone():
    app = open_tab(open_compare("passengers", methods=["lda", "qda"]), "Yardsticks")
    before = app.header[0].value
    assert "No yardstick was fitted" in said(app)
    app.button(key="compare.yardsticks.fit").click()
    app = settled(app.run())
    assert not app.exception and app.header[0].value == before
    results = lincore.compare(
        cache.sample("passengers"),
        ["lda", "qda"],
        steps=default_steps(cache.sample("passengers"), 630),
        yardsticks=True,
    )
    assert plain(results.against_yardsticks().finding()) in said(app)
    assert not [button for button in app.button if button.key == "compare.yardsticks.fit"]


def test_boundaries_lie_in_one_plane():
    app = open_tab(open_compare("wine"), "Boundaries")
    for plane in ("discriminant", "principal", "features"):
        app.selectbox(key="compare.planes.kind").set_value(plane).run()
        assert_fine(app)
        layout = titled(app, "Regions of 6 models")["layout"]
        axes = [layout[f"xaxis{n}"] for n in ["", *range(2, 7)]]
        assert len({tuple(axis["range"]) for axis in axes}) == 1, plane
        assert "53 test rows" in said(app), plane


@pytest.mark.usefixtures("unfolded")
def test_learning_curves_end_where_the_comparison_is():
    app = open_compare("iris", methods=["lda", "naive-bayes"])
    open_tab(app, "Training size")
    app.button(key="compare.sizes.start").click().run()
    assert "compare.sizes.start" not in [button.key for button in app.button]
    settled(app)
    iris = lincore.sample("iris")
    lines = [t for t in titled(app, "Accuracy by training rows")["data"] if "name" in t]
    for trace, name in zip(lines, compared(iris, ["lda", "naive-bayes"]).methods, strict=True):
        each = [
            metrics.score(lincore.compare(iris, name, seed=seed), name, "accuracy").value
            for seed in range(5)
        ]
        assert trace["name"] == CLASSIFIER_LABELS[name]
        assert numbers(trace["y"])[-1] == pytest.approx(np.mean(each), rel=1e-6)
        assert numbers(trace["x"])[-1] == 105
    choices = [box.key for box in app.selectbox if box.key.startswith("compare.sizes.more.")]
    assert choices and "not extrapolated" in plain(main_text(app))
    assert "compare.sizes.update" not in [button.key for button in app.button]
    app.segmented_control(key="experiment.n_components.kind").set_value(2).run()
    app.button(key="compare.run.update").click().run()
    settled(app)
    assert "compare.sizes.update" in [button.key for button in app.button], "of other steps"


def test_the_sentence_about_the_baseline_is_about_the_best_model():
    words = ["naive-bayes", "least-squares"]
    app = open_compare("wine", methods=words)
    best = compared(lincore.sample("wine"), words).methods[0]
    assert f"{CLASSIFIER_LABELS[best]} is better than always predicting" in main_text(app)


def test_a_stop_keeps_the_finished_models(monkeypatch):
    app = open_compare("iris")
    waiting, should_continue = hold_logistic(monkeypatch)
    before = app.header[0].value
    app.selectbox(key="compare.scheme").set_value("5-fold").run()
    app.button(key="compare.run.update").click().run()
    assert waiting.wait(30)
    app.run()
    live = app.dataframe[0].value
    assert len(live) == 5 and "5 of 6 models so far" in main_text(app)
    assert app.header[0].value == before and "An outdated result" in main_text(app)
    assert len(app.dataframe[1].value) == 6, "the former table stays, with every model"
    five = compared(lincore.sample("iris"), TABLE[:5], "5-fold")
    assert live["accuracy (%)"][0].startswith(
        percent(metrics.score(five, five.methods[0], "accuracy").value)[:-2]
    )
    app.button(key="compare.run.stop").click().run()
    should_continue.set()
    settled(app)
    assert "what was finished is kept" in main_text(app)
    assert app.header[0].value == text.escape(headline(five))
    assert "Logistic regression" not in list(app.dataframe[0].value["model"])
    app.switch_page("pages/classify.py").run()
    app.switch_page(PAGE).run()
    assert app.header[0].value == text.escape(headline(five))
    app.button(key="compare.run.restart").click().run()
    settled(app)
    assert "Logistic regression" in list(app.dataframe[0].value["model"])


def test_a_comparison_of_no_models_asks_for_one_and_of_others_for_an_update():
    app = open_compare("iris")
    assert "o significant difference" in app.header[0].value
    app.pills(key="compare.methods").set_value([]).run()
    assert app.header[0].value == "Choose at least one model."
    app.pills(key="compare.methods").set_value(["lda"]).run()
    app.button(key="compare.run.update").click().run()
    assert "LDA reaches an accuracy" in settled(app).header[0].value
    for tab in ("Pairwise comparisons", "Disagreements"):
        open_tab(app, tab)


def messy(kind: str) -> Dataset:
    rng = np.random.default_rng(0)
    n, p, k = {"one feature": (60, 1, 2), "wide": (30, 50, 3), "many classes": (200, 4, 40),
               "lone row": (41, 3, 3), "missing": (80, 3, 2), "words": (60, 30, 2),
               "groups": (90, 2, 2)}[kind]  # fmt: skip
    codes = np.arange(n) % k
    if kind == "lone row":
        codes = np.append(np.arange(40) % 2, 2)
    names = np.array([f"<b>{i}</b>*x*" for i in range(k)])
    features = tuple(f"=x{i}" for i in range(p))
    if kind == "words":
        counts = rng.poisson(0.3 + np.outer(codes, np.arange(p) % 2))
        X = sp.csr_array(counts.astype(float))
        return Dataset(kind, X, codes, names, features, n_words=p)
    X = rng.normal(size=(n, p)) + codes[:, None]
    if kind == "missing":
        X[::7, 1] = np.nan
    groups = np.arange(n) // 6 if kind == "groups" else None
    return Dataset(kind, X, codes, names, features, groups=groups)


@pytest.mark.parametrize(
    "kind",
    [
        "groups",
        *(
            pytest.param(kind, marks=pytest.mark.long)
            for kind in ("one feature", "wide", "many classes", "lone row", "missing", "words")
        ),
    ],
)
def test_messy_data(kind):
    models = ["lda", "qda", "naive-bayes", "least-squares"]
    if kind == "words":
        models = ["multinomial-nb", "lda", "least-squares"]
    app = open_compare(messy(kind), methods=models)
    for tab in ("Disagreements", "Recall by class", "Boundaries", "Time", "Pairwise comparisons"):
        open_tab(app, tab)
    assert "<b>" not in app.header[0].value and "accuracy" in app.header[0].value
    if kind == "words":
        assert "uses other coordinates" in main_text(open_tab(app, "Boundaries"))
    if kind == "groups":
        app.selectbox(key="compare.scheme").set_value("5-fold by group").run()
        app.button(key="compare.run.update").click().run()
        settled(app)
        assert "5 folds" in main_text(app) and "not kept together" not in main_text(app)
        app.selectbox(key="compare.scheme").set_value("5-fold").run()
        assert "Groups are not kept together" in main_text(app)


def test_classes_that_nobody_tested_are_blank_and_not_wrong():
    app = open_tab(open_compare(messy("lone row")), "Recall by class")
    assert "Blank: 1 of 3 classes, without test rows." in said(app)
    assert "Blank" not in main_text(open_tab(open_compare(), "Recall by class"))


@pytest.mark.usefixtures("unfolded")
def test_groups_that_stand_on_both_sides_are_said():
    app = open_compare(messy("groups"))
    assert app.selectbox(key="sidebar.how").value == "group"
    assert "Rows of one group are kept together." in said(app)
    app.selectbox(key="sidebar.how").set_value("stratified").run()
    assert "Groups are not kept together" in main_text(app)
    assert "Groups are" not in main_text(open_compare())


def test_the_file_is_safe_to_open_in_a_spreadsheet():
    results = compared(lincore.sample("iris"), {"=cmd()": "lda", "plain": "qda"})
    shown = tables.safe(results.scores().frame())
    assert set(shown["method"]) == {"'=cmd()", "plain"}
    assert {"accuracy", "log loss"} <= set(shown["score"])
    assert {"value", "low", "high", "seconds", "group"} <= set(shown.columns)


def test_a_second_run_builds_no_figure_of_the_scores(monkeypatch):
    built = []
    known = plots.score_intervals
    monkeypatch.setattr(
        plots, "score_intervals", lambda *given, **named: built.append(1) or known(*given, **named)
    )
    st.cache_resource.clear()
    app = open_compare()
    assert built
    built.clear()
    settled(app.run())
    assert not built
    app.selectbox(key="compare.score").set_value("log loss")
    settled(app)
    assert titled(app, "Log loss of")
    assert built


def test_no_score_is_cut_where_models_are_worse_than_chance():
    rng = np.random.default_rng(5)
    y = np.repeat(["no", "yes"], [400, 40])
    app = open_compare(lincore.load((rng.normal(size=(440, 2)), y), name="noise"))
    table = app.dataframe[0]
    assert any("−" in str(cell) for cell in table.value["MCC"])
    config = json.loads(table.proto.columns)
    widths = {name: config[name]["width"] for name in config if "width" in config[name]}
    assert "MCC" in widths
    for name in widths:
        # Cells have 16 pixels besides their letters, each of about 5.9; a second line may follow a
        # space.
        words = table.value[name].astype(str).str.split(" ").explode()
        assert widths[name] >= 13 + 5.9 * words.str.len().max()


def test_each_model_on_pixels_and_on_gradients():
    app = open_compare("digits", methods=["lda"], both_features=True)
    assert sorted(app.dataframe[0].value["model"]) == ["HOG + LDA", "Pixels + LDA"]
    results = compared(lincore.sample("digits"), ["lda(features=pixels)", "lda(features=hog)"])
    assert app.header[0].value == text.escape(headline(results))


def test_weights_are_told_and_used():
    rng = np.random.default_rng(0)
    codes = np.arange(120) % 2
    rows = rng.normal(size=(120, 2)) + codes[:, None]
    data = lincore.load((rows, codes), weights=rng.gamma(2.0, size=120))
    app = open_compare(data, methods=["lda", "qda"])
    assert "Rows are weighted" in main_text(app)
    assert app.header[0].value == text.escape(headline(compared(data, ["lda", "qda"])))
