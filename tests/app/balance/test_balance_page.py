"""The page Balance without a browser: every control, every tab, and data that are awkward."""

from __future__ import annotations

import numpy as np
import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState
from streamlit.testing.v1 import AppTest

import lincore
from lincore import metrics, report
from lincore.analysis import SampleData
from lincore.imbalance import choose_remedy
from lincore.model_selection import Steps
from pages.ui.jobs import cache, page_jobs
from pages.ui.session import state
from tests.app.data_page import plain
from tests.app.settling import edit_cells, settled
from tests.app.test_pages import (
    ROOT,
    assert_fine,
    choose_sample,
    figures,
    main_text,
    open_app,
    unbound,
    upload,
)

pytestmark = pytest.mark.usefixtures("unfolded")

PAGE = "pages/balance.py"
#: Every tab, and of each words that stand nowhere else.
TABS = {
    "Error decomposition": "",
    "Full and reduced set": "Full set: trained on",
    "All models": "For one split only",
    "Class-size sweep": "smaller sets are subsets of larger ones",
    "Priors in deployment": "weighted to these shares",
    "Costs": "Cost of an error",
    "Scores": "The true parameters are known here",
    "Training loss": "the log loss of the training rows",
}


def open_balance(sample: str = "gaussian", repeats: int = 2, *, popover: bool = False) -> AppTest:
    session = {
        "settings.balance": {"mode": "cut", "repeats": repeats},
        "balance.popover": popover,
    }
    return _open(sample, session)


def open_cost(sample: str = "gaussian") -> AppTest:
    return _open(sample, {"settings.balance": {"repeats": 2, "methods": ("lda", "qda")}})


def _open(sample: str, session: dict[str, object]) -> AppTest:
    app = AppTest.from_file(ROOT / "app.py", default_timeout=300)
    app.session_state[state.DATASET] = cache.sample(sample)
    app.session_state[state.SOURCE] = SampleData(sample)
    for key, value in ({"balance.models": True} | session).items():
        app.session_state[key] = value
    app.switch_page(PAGE).run()
    return settled(app)


def the_cost(**options):
    arguments = {"methods": ("lda", "qda"), "repeats": 2}
    arguments |= {"steps": Steps(standardize=True)} | options
    return lincore.imbalance_cost(lincore.sample("gaussian"), **arguments)


def test_an_imbalance_in_the_data_is_asked_about_first():
    app = open_cost()
    assert app.selectbox(key="balance.mode").value == "cost"
    found = the_cost()
    assert app.header[0].value == escaped(found.curve("lda").finding())
    assert unbound(escaped(found.corrections("lda").finding())) in main_text(app)
    shown = {chart.proto.alt.split(":")[0]: figure for chart, figure in
             zip(app.get("plotly_chart"), figures(app), strict=True)}  # fmt: skip
    assert any("Waterfall from uncorrected" in name for name in shown)
    rows = found.corrections("lda").table().to_dict("records")
    shown = app.dataframe[0].value["recovered"].tolist()[1:]
    assert list(map(plain, shown)) == [plain(row["recovered"]) for row in rows[1:]]
    assert unbound(escaped(found.more_rows("lda", more=53).finding())) in main_text(app)
    assert unbound(escaped(found.curve_difference("lda").finding())) in main_text(app)
    app.selectbox(key="balance.method").set_value("qda")
    app.selectbox(key="balance.pair.line").set_value("balanced")
    of_qda = found.curve_difference("qda", line="balanced")
    assert unbound(escaped(of_qda.finding())) in main_text(settled(app))


@pytest.mark.long
def test_classes_of_one_size_are_asked_for_their_shares_in_deployment():
    equal = open_cost("iris")
    assert equal.selectbox(key="balance.mode").value == "cut"
    equal.selectbox(key="balance.mode").set_value("cost")
    assert "equally frequent" in settled(equal).header[0].value


def test_prevalence_costs_and_loss_change_the_question():
    app = open_cost()
    app.select_slider(key="balance.miss_cost").set_value(5.0)
    found = the_cost(prevalence="file", costs=[[0, 1, 1], [1, 0, 1], [5, 5, 0]])
    assert settled(app).header[0].value == escaped(found.curve("lda").finding())
    advice = found.corrections("lda").finding()
    assert "if an error on 'class 3' costs as much as 5 others" in advice.lower()
    assert unbound(escaped(advice)) in main_text(app)
    app.select_slider(key="balance.miss_cost").set_value(1.0)
    app.number_input(key="balance.cost.share.3").set_value(60)
    found = the_cost(prevalence=[0.2, 0.2, 0.6])
    assert unbound(escaped(found.corrections("lda").finding())) in main_text(settled(app))
    app.selectbox(key="balance.loss").set_value("recall of class 3")
    app.selectbox(key="balance.method").set_value("qda")
    assert "recall of 'class 3' of QDA" in settled(app).header[0].value
    # A model without posteriors says which parts are missing.
    app.button_group(key="balance.methods").set_value(["least-squares"])
    shown = main_text(settled(app))
    assert "Prior shift is not available" in shown
    app.selectbox(key="balance.loss").set_value("log loss")
    assert "has no posterior probabilities" in main_text(settled(app))


def pressed(app: AppTest, key: str) -> str:
    button = app.button(key=key)
    button.click()
    settled(app)
    assert_fine(app)
    return plain(button.label)


def test_the_files_own_and_equal_shares_are_marked_at_the_sliders():
    app = open_cost()
    assert pressed(app, "balance.miss_cost.mark.0") == "Equal costs: 1"
    assert app.select_slider(key="balance.miss_cost").value == 1
    assert pressed(app, "balance.miss_cost.mark.1") == "Class ratio: 3"
    assert app.select_slider(key="balance.miss_cost").value == 3
    assert pressed(app, "balance.cost.share.mark.1") == "Equal: 33 %"
    assert app.number_input(key="balance.cost.share.3").value == 33
    assert pressed(app, "balance.cost.share.mark.0") == "As in the file: 14.3 %"
    assert app.number_input(key="balance.cost.share.3").value is None

    app = open_balance()
    assert pressed(app, "balance.size.2.mark.0") == "As in the file: 53"
    assert app.slider(key="balance.size.2").value == 53
    app.multiselect(key="balance.classes").set_value([0])
    settled(app)
    # The mean of 105 and 53 training rows.
    assert pressed(app, "balance.size.0.mark.1") == "Equal shares: 79"
    assert app.slider(key="balance.size.0").value == 79
    open_tab(app, "Priors in deployment")
    assert pressed(app, "balance.priors.share.mark.1") == "Equal: 33 %"
    assert app.number_input(key="balance.priors.share").value == pytest.approx(33.3, abs=0.1)


def open_tab(app: AppTest, name: str) -> AppTest:
    app.session_state["balance.tabs"] = name
    return settled(app)


def test_a_tab_is_drawn_by_itself(monkeypatch):
    drawn = {}
    for owner, name in ((report, "loss_in_words"), (metrics, "score_table")):
        known = getattr(owner, name)

        def noting(*given, _known=known, _name=name, **named):
            drawn[_name] = ThreadState.get().fragment_id
            return _known(*given, **named)

        monkeypatch.setattr(owner, name, noting)
    open_tab(open_balance(), "Scores")
    assert drawn["loss_in_words"] is None
    assert drawn["score_table"] is not None, "a click on it would draw all of the page"


def escaped(sentence: str) -> str:
    from pages.ui.widgets.text import escape

    return escape(sentence)


def the_study(**options):
    arguments = {"sizes": {"class 3": 18}, "methods": ("lda", "qda", "logistic"), "repeats": 2}
    arguments |= {"steps": Steps(standardize=True)} | options
    return lincore.balance(lincore.sample("gaussian"), **arguments)


def counts(app: AppTest, alternative: str) -> np.ndarray:
    """Return the numbers in the cells of a confusion matrix."""
    for chart, figure in zip(app.get("plotly_chart"), figures(app), strict=True):
        if alternative in chart.proto.alt:
            text = figure["data"][-1]["text"]
            numbers = [one.split("<")[0].replace(",", "").replace("−", "-") for one in text]
            n = round(len(numbers) ** 0.5)
            return np.array(numbers, dtype=int).reshape(n, n)
    raise AssertionError(f"no figure with {alternative!r}")


def test_the_numbers_are_the_librarys():
    app = open_balance()
    study = the_study()
    parts = study.decomposition("lda", loss="balanced error")
    finding = parts.finding()
    assert app.header[0].value == escaped(finding)
    advised = study.corrections("lda", loss="balanced error").finding()
    assert unbound(escaped(advised)) in main_text(app)
    for sentence in parts.notes():
        assert unbound(escaped(sentence)) in main_text(app)


def test_every_tab_is_about_the_study():
    app = open_balance()
    rows = "Full set: 368 rows (210 'class 1', 105 'class 2', 53 'class 3'). Reduced set: 333 rows "
    rows += "(210 'class 1', 105 'class 2', 18 'class 3'). Test set, untouched: 157 rows "
    rows += "(90 'class 1', 45 'class 2', 22 'class 3')."
    for tab, added in TABS.items():
        app = open_tab(app, tab)
        assert not app.error, tab
        assert added in main_text(app).replace("\\", ""), tab
        assert rows in main_text(app).replace("\\", ""), tab
        assert len(app.dataframe) or len(figures(app)) > 3, tab
        if tab == "Scores":
            last = app.dataframe[-1].value.iloc[-1]
            assert (last["model"], last["set"]) == ("Bayes classifier", "true parameters")


def test_the_full_and_the_reduced_set_stand_side_by_side_and_a_remedy_changes_the_latter():
    app = open_tab(open_balance(), "Full and reduced set")
    assert "For one split only" in main_text(app)
    assert "the test set is unchanged" in main_text(app)
    one = the_study(repeats=1).example.results
    full, reduced, both = (
        metrics.confusion_matrix(one[cell], "lda") for cell in ("full", "reduced", "both")
    )
    np.testing.assert_array_equal(counts(app, "Difference of two"), reduced - full)
    for drawing in ("Contour", "Surface", "Boundary"):
        app.selectbox(key="balance.sides.drawing").set_value(drawing).run()
        assert_fine(app)
        left, right = figures(app)[2:4]
        if drawing in ("Boundary", "Contour"):
            for end in ("xaxis", "yaxis"):
                assert left["layout"][end]["range"] == right["layout"][end]["range"]
        if drawing == "Surface":
            assert left["layout"]["scene"]["camera"] == right["layout"]["scene"]["camera"]
    for figure in figures(app)[2:4]:
        assert "best possible (dashed)" in [line.get("name") for line in figure["data"]]
    app.selectbox(key="balance.sides.remedy").set_value("both").run()
    assert_fine(app)
    np.testing.assert_array_equal(counts(app, "Difference of two"), both - full)


def test_the_recommended_correction_is_one_click_away():
    app = open_balance(repeats=9)
    app.selectbox(key="balance.loss").set_value("recall of class 3")
    app.slider(key="balance.size.2").set_value(8)
    app = settled(app)
    study = the_study(sizes={"class 3": 8}, repeats=9)
    advised = choose_remedy(study, "lda", "recall of class 3")
    assert advised.remedy.recovered.low > 0
    assert unbound(
        escaped(study.corrections("lda", loss="recall of class 3").finding())
    ) in main_text(app)
    app.button(key="balance.apply").click().run()
    assert_fine(app)
    assert app.session_state["settings.balance.sides"] == {"remedy": advised.remedy.name}


def test_sizes_by_slider_by_button_and_of_several_classes():
    app = open_balance()
    app.slider(key="balance.size.2").set_value(5)
    assert "With 5 instead of 53 training rows of 'class 3'" in main_text(settled(app))
    app.multiselect(key="balance.classes").set_value([0, 2])
    shown = main_text(settled(app))
    assert "75 instead of 263 training rows of 'class 1' and 'class 3'" in shown
    app.button(key="balance.third").click()
    assert "With 18 instead of 53" in main_text(settled(app))
    app.multiselect(key="balance.classes").set_value([])
    app.run()
    assert "Reduce at least one class" in app.info[0].value


@pytest.mark.long
def test_a_third_stays_a_third_and_what_was_chosen_stays_too():
    app = open_balance()
    app.number_input(key="sidebar.test_size").set_value(10.0)
    assert "With 22 instead of 67 training rows of 'class 3'" in main_text(settled(app))
    app.slider(key="balance.size.2").set_value(30)
    app.number_input(key="sidebar.test_size").set_value(20.0)
    assert "With 30 instead of 60 training rows of 'class 3'" in main_text(settled(app))
    app.button(key="balance.third").click()
    assert "With 20 instead of 60 training rows of 'class 3'" in main_text(settled(app))
    app.number_input(key="sidebar.test_size").set_value(10.0)
    assert "With 22 instead of 67 training rows of 'class 3'" in main_text(settled(app))


def test_the_preset_is_that_of_the_text_where_the_data_allow_it():
    app = open_balance()
    preset = app.button(key="balance.third")
    assert preset.label == "One class to a third: 53 → 18"
    assert "No test fraction leaves it 900 training rows here" in preset.help
    rng = np.random.default_rng(0)
    rows = [f"{x:.3f},{y:.3f},{'ab'[k % 2]}" for k, (x, y) in enumerate(rng.normal(size=(2000, 2)))]
    app = upload(open_app(), "two.csv", "\n".join(["u,v,kind", *rows, ""]).encode())
    app.session_state["settings.balance"] = {"repeats": 2}
    app.switch_page(PAGE).run()
    app = settled(app)
    preset = app.button(key="balance.third")
    assert preset.label == "As in the faces text: 900 → 300"
    assert "the test fraction becomes 10\xa0%" in preset.help
    preset.click()
    app = settled(app)
    assert "With 300 instead of 900 training rows of 'b'" in main_text(app)
    assert app.number_input(key="sidebar.test_size").value == 10
    assert "becomes" not in app.button(key="balance.third").help


def test_the_former_result_stays_while_nothing_can_be_computed():
    app = open_balance()
    header = app.header[0].value
    app.multiselect(key="balance.classes").set_value([])
    app = settled(app)
    assert "Reduce at least one class" in app.info[0].value
    assert app.header[0].value == header and "An outdated result" in main_text(app)
    app.button(key="balance.third").click()
    assert "An outdated result" not in main_text(settled(app))


def test_what_cannot_be_typed_is_said():
    app = open_balance(popover=True)
    rows = {0: {"kept": -5}, 1: {"kept": 500}, 2: {"kept": None}}
    app = settled(edit_cells(app, "balance.table", rows))
    said = " ".join(one.value for one in app.warning).replace("\\", "")
    assert "'class 1' cannot keep -5 rows (minimum 1). It stays at 210." in said
    assert "'class 2' has only 105 training rows: all are kept." in said
    assert "'class 3': an empty cell keeps all 53 training rows." in said


def test_the_table_sets_sizes_within_what_there_is():
    app = open_balance(popover=True)
    rows = {0: {"kept": 500}, 1: {"kept": 7}, 2: {"kept": None}}
    app = settled(edit_cells(app, "balance.table", rows))
    assert "With 7 instead of 105 training rows of 'class 2'" in app.header[0].value


def costs_of(app: AppTest) -> list[list[float]]:
    (table,) = (one.value for one in app.dataframe if "-balance.errors.table" in one.proto.id)
    return table[["0", "1", "2"]].to_numpy().tolist()


def test_costs_are_typed_and_what_cannot_be_is_said():
    app = open_tab(open_balance(), "Costs")
    rows = {0: {"1": -4}, 1: {"0": None}, 2: {"0": float("inf"), "1": 2}}
    app = settled(edit_cells(app, "balance.errors.table", rows))
    assert costs_of(app) == [[0, 1, 1], [1, 0, 1], [1, 2, 0]]
    said = " ".join(one.value for one in app.warning).replace("\\", "")
    assert "-4 is not a cost: 'class 1' predicted as 'class 2' stays at 1." in said
    assert "An empty cell is not a cost: 'class 2' predicted as 'class 1' stays at 1." in said
    assert "inf is not a cost: 'class 3' predicted as 'class 1' stays at 1." in said


def test_models_options_and_losses():
    app = open_balance()
    app.button_group(key="balance.methods").set_value(["naive-bayes", "least-squares"])
    app = settled(app)
    assert "Naive Bayes" in app.header[0].value
    app.selectbox(key="balance.method").set_value("least-squares")
    app.selectbox(key="balance.loss").set_value("log loss")
    assert "has no posterior probabilities" in main_text(settled(app))
    app.selectbox(key="balance.loss").set_value("recall of class 3")
    assert "recall of 'class 3' of Least squares" in app.run().header[0].value


def test_the_share_in_use_rescores_at_once():
    app = open_tab(open_balance(), "Priors in deployment")
    before = app.dataframe[-1].value
    app.number_input(key="balance.priors.share").set_value(60).run()
    assert_fine(app)
    after = app.dataframe[-1].value
    assert (before["error (%), as trained"] != after["error (%), as trained"]).all()


def test_results_stay_when_one_leaves_and_returns():
    app = open_balance()
    header = app.header[0].value
    made = list(app.session_state[page_jobs.JOBS].values())
    app.switch_page("pages/data.py").run()
    app.switch_page(PAGE).run()
    assert app.header[0].value == header
    assert list(app.session_state[page_jobs.JOBS].values()) == made


def test_large_data_begin_with_a_button_and_stale_results_say_so(monkeypatch):
    monkeypatch.setattr("pages.ui.balance.computation.SMALL", 0)
    monkeypatch.setattr("pages.ui.balance.computation.LARGE", 0)
    app = open_balance()
    assert "on one split" in app.header[0].value
    app.button(key="balance.study.start").click()
    assert "on one split" not in settled(app).header[0].value
    app.slider(key="balance.size.2").set_value(5)
    shown = settled(app)
    assert "Settings have changed" in main_text(shown)
    assert "on one split" in shown.header[0].value
    captions = [caption.value.replace("\\", "") for caption in app.caption]
    learned = [caption for caption in captions if "Reduced set: 3" in caption]
    assert ["18 'class 3'" in caption for caption in learned] == [True], "what the stale one saw"
    app.button(key="balance.study.update").click()
    assert "With 5 instead of 53" in settled(app).header[0].value
    assert "on one split" not in app.header[0].value


def test_a_study_of_more_than_a_moment_is_made_unasked_once(monkeypatch):
    monkeypatch.setattr("pages.ui.balance.computation.SMALL", 0)
    app = open_balance()
    assert "With 18 instead of 53" in app.header[0].value
    assert "on one split" not in app.header[0].value
    app.slider(key="balance.size.2").set_value(5)
    assert "Settings have changed" in main_text(settled(app))
    assert "on one split" in app.header[0].value and "With 5 " in app.header[0].value
    assert "The study below is outdated" in main_text(app)
    app.slider(key="balance.size.2").set_value(18)
    assert "Settings have changed" not in main_text(settled(app)), "that study is known"
    assert "on one split" not in app.header[0].value
    choose_sample(app, "wine")
    app.switch_page(PAGE).run()
    assert "on one split" not in settled(app).header[0].value, "of other data nothing is known"
    monkeypatch.setattr("pages.ui.balance.computation.LARGE", 178 * 13 - 1)
    page_jobs.shared.clear()
    app = open_balance("wine")
    assert "on one split" in app.header[0].value, "many numbers are studied when asked for"


@pytest.mark.long
def test_models_that_are_fitted_one_by_one_wait_until_they_are_asked_for():
    app = open_balance()
    app.button_group(key="balance.methods").set_value(["lda", "perceptron"])
    assert "Settings have changed" in main_text(settled(app))
    app.button(key="balance.study.update").click()
    assert "Settings have changed" not in main_text(settled(app))
    assert "on one split" not in app.header[0].value


def _csv(n_classes: int, per_class: int, columns: str = "x,z") -> bytes:
    rng = np.random.default_rng(0)
    lines = [f"{columns},kind"]
    for k in range(n_classes):
        for _ in range(per_class):
            values = [f"{value:.3f}" for value in rng.normal(k, 1, len(columns.split(",")))]
            lines.append(f"{','.join(values)},kind {k:02d}")
    return "\n".join(lines).encode()


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("two.csv", _csv(2, 30)),
        ("one-feature.csv", _csv(3, 12, "x")),
        ("forty.csv", _csv(40, 8)),
        ("tiny.csv", _csv(3, 4)),
        (
            "mixed.csv",
            b"colour,size,kind\n"
            + b"red,1.5,a\nblue,2.5,b\nred,,a\ngreen,4.5,b\nblue,2.0,a\n" * 12,
        ),
        (
            "words.csv",
            b"text,kind\n"
            + b"a fine good film to see again,good\nbad dull long film indeed truly,bad\n"
            b"good warm fine story told well here,good\ndull bad story and worse music,bad\n" * 12,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_awkward_data_work_or_say_why_not(name, raw):
    app = upload(open_app(), name, raw)
    app.session_state["settings.balance"] = {"repeats": 2}
    app.switch_page(PAGE).run()
    app = settled(app)
    said = app.header or app.error or app.info
    assert said
    if app.header and not app.error:
        for tab in TABS:
            open_tab(app, tab)


def test_components_that_stand_for_features_are_said_and_given_up_at_a_click():
    app = open_balance("wine")
    app.segmented_control(key="experiment.n_components.kind").set_value(2)
    app = settled(app)
    said = "All models use 2 principal components of the 13 features"
    assert said in main_text(app).replace("\\", "")
    error = app.header[0].value
    app.button(key="balance.all_features").click()
    app = settled(app)
    assert said not in main_text(app).replace("\\", "") and app.header[0].value != error
    assert "balance.all_features" not in [button.key for button in app.button]


def test_qda_that_cannot_be_fitted_is_regularised_at_a_click():
    app = open_balance()
    app.slider(key="balance.size.2").set_value(1)
    app = settled(app)
    assert "QDA is left out" in main_text(app)
    app.button(key="balance.regularise").click()
    app = settled(app)
    assert "QDA is left out" not in main_text(app)
    assert any("QDA" in option for option in app.selectbox(key="balance.method").options)


@pytest.mark.long
def test_more_classes_than_have_sliders_share_one():
    app = upload(open_app(), "forty.csv", _csv(8, 20))
    app.session_state["settings.balance"] = {"repeats": 2}
    app.switch_page(PAGE).run()
    app = settled(app)
    app.multiselect(key="balance.classes").set_value([0, 1, 2, 3, 4, 5])
    app = settled(app)
    assert "With 30 instead of 84 training rows" in app.header[0].value
    app.slider(key="balance.share").set_value(50)
    late = app.slider(key="balance.share")._widget_state
    assert "With 42 instead of 84 training rows" in settled(app).header[0].value
    app.multiselect(key="balance.classes").set_value([0])
    before = settled(app).header[0].value
    app._run(WidgetStates(widgets=[late]))  # comes when its slider is gone
    assert settled(app).header[0].value == before


@pytest.mark.long
def test_the_preset_of_images_says_that_models_see_two_components():
    app = open_balance("faces", repeats=1)
    assert app.button(key="balance.third").label == "One class to a third: 28 → 9, 2 components"
