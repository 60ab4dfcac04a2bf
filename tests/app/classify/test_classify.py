"""Classify, with every classifier, option, plane and panel, without a browser."""

from __future__ import annotations

import base64
import re

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import lincore
from lincore import displays, fields, metrics, model_selection
from lincore.analysis import SampleData
from lincore.inspection import boundary_equation, confusion_cell, likelihood_coefficients
from lincore.linalg import Reason
from lincore.model_selection import (
    CLASSIFIER_FACTORIES,
    CLASSIFIER_OPTIONS,
    Steps,
)
from lincore.report import termination_reason
from lincore.utils import percent
from pages.ui.classify.panels import TABS
from pages.ui.jobs import cache
from pages.ui.session import fitting, state
from pages.ui.widgets.displays import NOTHING
from tests.app.data_page import plain
from tests.app.settling import kept_jobs, settled
from tests.app.test_pages import ROOT, assert_fine, figures, main_text, open_app

PAGE = "pages/classify.py"
TABLE_WORDS = [word for word in CLASSIFIER_FACTORIES if word != "multinomial-nb"]


def open_classify(word: str = "lda", sample: str = "gaussian"):
    app = AppTest.from_file(ROOT / "app.py", default_timeout=300)
    app.session_state[state.DATASET] = cache.sample(sample)
    app.session_state[state.SOURCE] = SampleData(sample)
    app.switch_page(PAGE).run()
    if word != "lda":
        choose(app, "classify.classifier", word)
    assert_fine(app)
    assert not app.error
    return app


def choose(app, key: str, value) -> None:
    app.selectbox(key=key).set_value(value).run()
    settled(app)


def other_values(option):
    """Return values of an option that differ from its default, one of each kind."""
    return [one for one in option.field.choices or () if one != option.default]


def change(app, word: str, option) -> None:
    """Give an option each of its other values once, and its default at last."""
    key, first = f"experiment.{word}.{option.name}", option.default
    first = NOTHING if first is None else first
    if option.type is bool:
        app.toggle(key=key).set_value(not option.default).run()
    elif option.field.choices is None:
        app.number_input(key=key).set_value(option.type(1)).run()
    elif option.field.start is None:
        for value in (*other_values(option), first):
            choose(app, key, value)
    else:
        kind = app.selectbox(key=f"{key}.kind")
        for value in other_values(option):
            kind.set_value(value).run()
            settled(app)
        app.selectbox(key=f"{key}.kind").set_value("a number").run()
        assert app.number_input(key=key).value is not None
        if option.default in option.field.choices:
            app.selectbox(key=f"{key}.kind").set_value(first).run()
    settled(app)


@pytest.mark.usefixtures("unfolded")
@pytest.mark.long
@pytest.mark.parametrize("word", TABLE_WORDS)
def test_every_option_of_every_classifier(word):
    app = open_classify(word)
    for option in fields.options(CLASSIFIER_OPTIONS[word]):
        change(app, word, option)
        assert not app.error, (option.name, app.error[0].value)
        kinds = [{trace["type"] for trace in figure["data"]} for figure in figures(app)]
        assert {"contour", "scatter"} <= kinds[0], option.name
        assert {"heatmap", "scatter"} <= kinds[1], option.name
        assert app.header[0].value


def plot(app) -> tuple[str, str]:
    """Return the title of the figure of the model, and where its rows lie."""
    layout = figures(app)[0]["layout"]
    return layout["meta"]["title"], layout["xaxis"]["title"]["text"]


@pytest.mark.usefixtures("unfolded")
def test_what_is_chosen_is_drawn():
    app = open_classify(sample="iris")
    choose(app, "classify.plane.drawing", "surface")
    assert figures(app)[0]["layout"]["meta"]["title"] == "Prior × density of each class"
    eyes = []
    for camera in ("oblique", "above"):
        choose(app, "classify.plane.camera", camera)
        eyes.append(figures(app)[0]["layout"]["scene"]["camera"]["eye"])
    assert eyes[0] != eyes[1]
    choose(app, "classify.plane.drawing", "boundary")
    assert plot(app) == ("Decision boundary and regions", "Discriminant 1")
    choose(app, "classify.plane.drawing", "contour")
    for quantity, title in (("density", "Prior × density"), ("posterior", "Posterior probability")):
        for focus, of in ((2, "virginica"), (-1, "each class")):
            app.selectbox(key="classify.plane.quantity").set_value(quantity)
            choose(app, "classify.plane.focus", focus)
            assert plot(app)[0] == f"{title} of {of}"
    names = [trace.get("name") for trace in figures(app)[0]["data"]]
    assert "ellipse of setosa" in names and "virginica (15)" in names
    app.toggle(key="classify.plane.ellipses").set_value(False).run()
    assert "ellipse of setosa" not in str(figures(app)[0]["data"])
    for plane, axis, caption in (
        ("features", "petal length (cm)", "Two features, the rest held fixed"),
        ("principal", "Principal axis 1", "Principal axes, averaged over the other directions"),
        ("coordinates", "petal length (cm)", "Two features, averaged over the other directions"),
    ):
        choose(app, "classify.plane.kind", plane)
        assert plot(app)[1] == axis
        assert caption in figures(app)[0]["layout"]["meta"]["subtitle"]
    choose(app, "classify.plane.x", 0)
    assert plot(app)[1] == "sepal length (cm)"
    app.segmented_control(key="experiment.n_components.kind").set_value("a number").run()
    app.number_input(key="experiment.n_components").set_value(1).run()
    for drawing, title in (
        ("curves", "Posterior probability of each class"),
        ("histogram", "Classes along the component 1, with the threshold"),
    ):
        choose(app, "classify.plane.drawing", drawing)
        assert plot(app) == (title, "Component 1")
    assert figures(app)[0]["layout"]["yaxis"]["title"]["text"] == "density within the class"
    app.toggle(key="classify.plane.counts").set_value(True).run()
    assert figures(app)[0]["layout"]["yaxis"]["title"]["text"] != "density within the class"


@pytest.mark.usefixtures("unfolded")
def test_two_features_behind_a_basis_have_no_others_to_hold():
    app = open_classify()
    app.selectbox(key="experiment.basis").set_value("polynomial(degree=2)").run()
    choose(app, "classify.plane.kind", "features")
    assert not any("rest" in str(control.key) for control in app.selectbox)


def test_images_that_are_not_projected_are_seen_in_the_plane_of_their_classes():
    app = open_classify(sample="digits")
    assert app.selectbox(key="classify.plane.kind").value == "discriminant"
    assert {"contour", "scatter"} <= {trace["type"] for trace in figures(app)[0]["data"]}
    assert "Discriminant" in figures(app)[0]["layout"]["xaxis"]["title"]["text"]
    open_panel(app, "Coefficients")
    assert [len(figure["data"]) for figure in figures(app)][2] == 10, "an image for each class"


def test_fisher_with_two_classes_is_drawn_along_its_direction_until_another_plane_is_chosen():
    app = open_classify("lda", "breast cancer")
    assert app.selectbox(key="classify.plane.kind").value == "discriminant"
    choose(app, "classify.classifier", "fisher")
    assert app.selectbox(key="classify.plane.kind").value == "direction"
    assert [trace["type"] for trace in figures(app)[0]["data"]] == [
        "bar",
        "bar",
        "scatter",
        "scatter",
    ]
    assert "The regions show all 171 predictions" in main_text(app)
    choose(app, "classify.classifier", "logistic")
    assert app.selectbox(key="classify.plane.kind").value == "discriminant"
    assert figures(app)[0]["layout"]["meta"]["title"].startswith("Posterior probability")
    choose(app, "classify.plane.kind", "features")
    choose(app, "classify.classifier", "lda")
    assert app.selectbox(key="classify.plane.kind").value == "features", "what was chosen stays"


# What each panel draws: figures by the kinds of their traces, and tables.
DRAWN = {
    "Scores": ([], 2),
    "ROC": ([{"scatter"}, {"scatter"}], 0),
    "Calibration": ([{"scatter", "bar"}], 1),
    "Operating point": ([{"heatmap", "scatter"}, {"scatter"}, {"scatter"}, {"bar"}], 4),
    "Errors by part": ([{"scatter"}], 1),
    "Coefficients": ([{"bar"}], 1),
    "What was learned": ([], 3),
    "Canonical functions": ([{"scatter"}], 5),
    "Assumptions": ([], 0),
    "What if": ([{"contour", "scatter"}, {"bar"}, {"bar"}], 3),
}


def open_panel(app, panel: str):
    app.session_state["classify.panels"] = panel
    app.run()
    return settled(app)


def test_a_former_link_opens_the_tab_that_now_holds_what_it_names():
    app = open_classify()
    for former, now in {"Decision curve": "Operating point", "Equation": "Coefficients"}.items():
        open_panel(app, former)
        assert app.session_state["classify.panels"] == now


def test_each_panel_is_drawn_only_when_it_is_open():
    app = open_classify()
    for panel, (wanted, n_tables) in DRAWN.items():
        open_panel(app, panel)
        # Before them stand the model and its errors, after them the balance in the sidebar.
        drawn = [{trace["type"] for trace in figure["data"]} for figure in figures(app)[1:-1]]
        assert drawn.pop(0) == {"heatmap", "scatter"}, "the confusion matrix"
        assert drawn == wanted, panel
        assert len(app.dataframe) == n_tables, panel
        assert not app.error, panel
    tabs = [kind.title for kind in TABS]
    assert [title for title in tabs if title != "Convergence"] == list(DRAWN)
    assert "Convergence" not in [tab.label for tab in app.tabs], "nothing iterates"
    open_panel(app, "What was learned")
    choose(app, "classify.classifier", "logistic")
    assert [tab.label for tab in app.tabs] == [one for one in tabs if one != "Canonical functions"]
    assert app.session_state["classify.panels"] == "What was learned", "the open tab stays"
    choose(app, "classify.classifier", "perceptron")
    open_panel(app, "Convergence")
    assert "Mistakes by epoch" in str(figures(app)), "a perceptron iterates"


@pytest.mark.parametrize(
    "word",
    [
        "perceptron",
        *(pytest.param(one, marks=pytest.mark.long) for one in ("least-squares", "fisher")),
    ],
)
def test_panels_say_why_there_is_nothing_to_draw(word):
    app = open_classify(word)
    for panel in DRAWN:
        open_panel(app, panel)
        assert not app.error, panel
    open_panel(app, "Calibration")
    assert "no posteriors" in main_text(app)
    open_panel(app, "ROC")
    assert "ranked by the decision score" in main_text(app)
    assert any("ROC" in figure["layout"]["meta"]["title"] for figure in figures(app))


def test_scores_and_classes_are_the_librarys():
    app = open_panel(open_classify("qda"), "Scores")
    _, results = fitted_by_hand("qda")
    table = app.dataframe[0].value.set_index("score")
    for name in metrics.SCORES:
        share = metrics.SCORES[name].is_share
        found = np.array(metrics.score(results, "QDA", name)) * (100 if share else 1)
        cell = table.loc[name, "value"]
        written = [float(number) for number in re.findall(r"[\d.]+", cell)]
        assert written == pytest.approx(found.tolist(), abs=0.051 if share else 5.1e-4)
        assert (" %" in cell) == share
    classes = app.dataframe[1].value
    written = [float(cell.split(" ")[0]) for cell in classes["recall"]]
    recalls = [100 * r[0] for r in metrics.recall(results, "QDA")]
    assert written == pytest.approx(recalls, abs=0.051)


def test_a_cell_of_the_matrix_lists_exactly_its_rows_the_most_wrong_first():
    app = open_classify("qda")
    fitted, results = fitted_by_hand("qda")
    counts = metrics.confusion_matrix(results, "QDA")
    true, predicted = np.argwhere((counts > 0) & ~np.eye(3, dtype=bool))[0].tolist()
    app.session_state["classify.confusion.picked"] = [true, predicted]
    app.run()
    assert_fine(app)
    wanted = confusion_cell(results, fitted, lincore.sample("gaussian"), true, predicted)
    shown = app.dataframe[0].value
    assert shown["row"].tolist() == wanted.rows.tolist()
    name = results.classes[true]
    assert shown[f"p({name})"].tolist() == pytest.approx(wanted.proba[:, true], abs=1e-4)
    assert shown[f"distance to {name}"].tolist() == pytest.approx(
        wanted.distances[:, true], abs=5e-3
    )


@pytest.mark.usefixtures("unfolded")
def test_an_l1_penalty_brings_its_path_and_the_losses_by_which_C_was_chosen():
    app = open_classify("logistic")
    app.selectbox(key="experiment.logistic.l1_ratio.kind").set_value(1.0).run()
    app.selectbox(key="experiment.logistic.C.kind").set_value("cv-1se").run()
    open_panel(app, "Coefficients")
    gaussian = lincore.sample("gaussian")
    model = lincore.fit(gaussian, "logistic(l1_ratio=1, C=cv-1se)", lincore.split(gaussian))
    said = plain(main_text(app))
    assert model.coefficient_path().finding() in said
    assert "no standard errors, intervals or p-values" in said
    assert len(app.dataframe[2].value) == len(model.tuning().table())
    table = app.dataframe[1].value
    wanted = model.coefficient_path().table()
    assert table["feature"].tolist() == wanted["feature"].tolist()
    assert table["per SD"].tolist() == pytest.approx(wanted["per SD"].tolist(), rel=1e-6)


@pytest.mark.usefixtures("unfolded")
def test_maximum_likelihood_brings_odds_ratios_and_its_final_error():
    app = open_classify("logistic")
    app.selectbox(key="experiment.logistic.C.kind").set_value(float("inf")).run()
    open_panel(app, "Coefficients")
    fitted, _ = fitted_by_hand("logistic(C=inf)")
    odds = figures(app)[2]["data"][0]
    gaussian = lincore.sample("gaussian")
    wanted = likelihood_coefficients(fitted, gaussian, lincore.split(gaussian).train)
    ratios = sorted(np.exp(wanted.estimate[0, :2]))
    assert sorted(decoded(odds["x"])) == pytest.approx(ratios, rel=1e-4)
    table = app.dataframe[0].value
    table = table.set_index("feature").loc[["x1", "x2", "intercept"]]
    assert table["coefficient"].tolist() == pytest.approx(wanted.estimate[0], rel=1e-6)
    assert table["standard error"].tolist() == pytest.approx(wanted.error[0], rel=1e-6)
    assert table["odds ratio"].tolist()[:2] == pytest.approx(np.exp(wanted.estimate[0, :2]))
    open_panel(app, "Convergence")
    error = fitted.named_steps["classify"].log_loss_
    assert f"{error:.4f} nats" in plain(main_text(app))
    assert "the gradient reached the tolerance" in main_text(app)
    app.button(key="classify.solvers.start").click().run()
    settled(app)
    assert len(app.dataframe[0].value) == 6
    assert app.dataframe[0].value["training loss"].min() == pytest.approx(error, abs=5.1e-5)


def test_the_equation_changes_its_sign_between_the_classes():
    app = open_panel(open_classify(), "Coefficients")
    fitted, _ = fitted_by_hand("lda")
    gaussian = lincore.sample("gaussian")
    function, names = boundary_equation(fitted, gaussian, 0, 1)
    assert app.code[0].value == displays.equation_text(function, names)
    assert app.code[1].value == displays.equation_latex(function, names)


def test_each_feature_is_left_out_at_a_click():
    app = open_panel(open_classify(), "Coefficients")
    app.button(key="classify.dropped.start").click().run()
    settled(app)
    assert_fine(app)
    gaussian = lincore.sample("gaussian")
    wanted = lincore.fit(gaussian, "lda").dropped_features()
    assert wanted.finding() in plain(main_text(app))
    shown = next(one.value for one in app.dataframe if "without" in one.value)
    assert shown["without"].tolist() == wanted.table()["without"].tolist()


def test_what_if_follows_the_sliders():
    app = open_panel(open_classify(), "What if")
    fitted, _ = fitted_by_hand("lda")
    slider = next(one for one in app.slider if one.key.startswith("classify.whatif"))
    slider.set_value(slider.max).run()
    assert_fine(app)
    row = [one.value for one in app.slider if one.key.startswith("classify.whatif")]
    wanted = 100 * fitted.predict_proba([row])[0]
    shown = app.dataframe[0].value
    assert sorted(shown["posterior"]) == pytest.approx(sorted(wanted), abs=0.051)
    assert shown["posterior"].is_monotonic_decreasing
    # At once, in words: what a table says is read out a fifth of a second later.
    surest = app.dataframe[0].value["class"].iloc[0]
    assert f"Prediction: '{surest}', at {max(wanted):.1f} %." in plain(main_text(app))


def test_nothing_is_fitted_again_that_did_not_change():
    app = open_classify("logistic")
    before = app.header[0].value
    assert len(kept_jobs(app)) == 1
    choose(app, "classify.classifier", "lda")
    choose(app, "classify.classifier", "logistic")
    assert len(kept_jobs(app)) == 1
    assert app.header[0].value == before


def test_a_fit_that_is_stopped_leaves_the_former_model_in_place(monkeypatch):
    app = open_classify("logistic")
    before = app.header[0].value

    def endless(data, split, front, model, progress):
        while progress(0, 0, "loss 964.4 after 7 iterations"):
            pass

    with monkeypatch.context() as patch:
        patch.setattr(fitting, "fit", endless)
        app.selectbox(key="classify.classifier").set_value("perceptron").run()
        assert (
            not app.header and "Fitting Perceptron: loss 964" in app.get("progress")[0].proto.text
        )
        app.button(key="classify.fit.stop").click().run()
        settled(app)
    assert app.header[0].value == before
    assert "The previously fitted model is shown" in main_text(app)
    app.button(key="classify.fit.restart").click().run()
    settled(app)
    assert "Perceptron " in app.header[0].value


def test_what_there_is_of_a_stopped_fit_is_told_as_such():
    data = lincore.sample("gaussian")
    split = lincore.split(data)
    told = []

    class Watched:
        def __call__(self, done, total, what):
            told.append(what)
            return len(told) < 5

    model = cache.ModelChoice("logistic(solver=gradient)", Steps())
    part = model_selection.summarise_training_set(data, split)
    sample = model_selection.fit_steps(data, part, Steps().resolved(data))
    found = fitting.fit(data, split, sample, model, Watched())
    assert found.pipeline.steps[-1][1].reason_ is Reason.STOPPED
    assert "stopped after 4 iterations because it was cancelled" in (
        termination_reason(found.pipeline.steps[-1][1]).sentence
    )
    model = cache.ModelChoice("one-vs-rest(estimator=logistic(solver=gradient))", Steps())
    told.clear()
    assert fitting.fit(data, split, sample, model, Watched()) is None


def fitted_by_hand(line: str):
    """Return pipeline and results as a script makes them from the sample "gaussian"."""
    data = lincore.sample("gaussian")
    model = lincore.fit(data, line)
    return model.pipeline, model.results


def decoded(values) -> list[float]:
    """Return numbers that travelled as base64."""
    return np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"]).tolist()


@pytest.mark.usefixtures("unfolded")
def test_training_rows_are_drawn_and_their_error_stands_beside_that_of_the_test_rows():
    app = open_app("pages/classify.py")
    said = f"Training error {percent(0.0286)}, test error {percent(0)}."
    assert said in plain(main_text(app))
    choose(app, "classify.plane.rows", "training")
    assert_fine(app)
    assert "105 training rows." in plain(main_text(app))
    choose(app, "classify.plane.rows", "all")
    assert "150 rows." in plain(main_text(app))


@pytest.mark.usefixtures("unfolded")
def test_the_number_of_components_may_be_chosen_by_cross_validation():
    app = open_classify("lda", "wine")
    app.segmented_control(key="experiment.n_components.kind").set_value("cv-1se").run()
    open_panel(app, "What was learned")
    settled(app)
    assert_fine(app)
    wine, steps = lincore.sample("wine"), Steps(n_components="cv-1se")
    model = lincore.fit(wine, "lda", lincore.split(wine), steps=steps)
    said = plain(main_text(app))
    accuracy = metrics.score(model.results, model.name, "accuracy").value
    assert f"reaches an accuracy of {percent(accuracy)}" in said
    assert said.count(model.tuning().finding()) == 2  # below the model, and above its losses
    assert "inner cross-validation of the training rows chooses their number" in said
    [table] = [one.value for one in app.dataframe if "log loss" in one.value]
    assert table["log loss"].tolist() == model.tuning().table()["log loss"].tolist()


@pytest.mark.usefixtures("unfolded")
@pytest.mark.long
def test_gradients_of_images_on_every_panel():
    app = open_classify("lda", "digits")
    choose(app, "experiment.basis", "hog")
    app.segmented_control(key="experiment.n_components.kind").set_value(0.95).run()
    settled(app)
    assert_fine(app)
    assert "gradients \\(HOG\\) in cells of 2 × 2 pixels" in main_text(app)
    for panel in DRAWN:
        app.session_state["classify.panels"] = panel
        app.run()
        settled(app)
        assert_fine(app)
        assert not app.error


@pytest.mark.parametrize(("word", "sample"), [("lda", "faces"), ("qda", "iris")])
def test_without_a_nearest_change_nothing_is_asked_about_it(word, sample):
    app = open_panel(open_classify(word, sample), "What if")
    assert "No nearest change" in main_text(app)
    asked = [one.key for one in (*app.selectbox, *app.multiselect, *app.pills) if one.key]
    assert not [key for key in asked if key.startswith("classify.nearest")]
