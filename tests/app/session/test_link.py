"""The link: what it restores, what it names, and that no link does harm."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import lincore
from lincore import io
from lincore.analysis import (
    Analysis,
    BalanceCostQuestion,
    BalanceStudyQuestion,
    ClassifyQuestion,
    ClassShare,
    CompareQuestion,
    ExploreQuestion,
    FileData,
    GeneratedData,
    PredictQuestion,
    SampleData,
    SplitChoice,
    TypedRow,
)
from lincore.model_selection import Steps
from pages.ui.frame import export_menu
from pages.ui.session import state
from tests.app.data_page import FOLDERS, IMAGES, a_table, a_zip, bring, data_of, wait
from tests.app.settling import settled
from tests.app.test_pages import ROOT, assert_fine, choose_sample, main_text, open_app


def link_of(app: AppTest) -> str:
    """Return the link of a page; AppTest holds each parameter as a list."""
    found = app.query_params["analysis"]
    return found[0] if isinstance(found, list) else found


def asked(app: AppTest) -> Analysis:
    return Analysis.from_query(link_of(app))


def reload(app: AppTest, page: str) -> AppTest:
    """Open the link of a session in another one."""
    return open_link({"analysis": link_of(app)}, page)


def open_link(parameters: dict[str, str], page: str) -> AppTest:
    again = AppTest.from_file(ROOT / "app.py", default_timeout=300).switch_page(page)
    for key, value in parameters.items():
        again.query_params[key] = value
    again.run()
    assert_fine(again)
    return again


def page_of(wanted: Analysis) -> str:
    return f"pages/{wanted.question.kind.partition('-')[0]}.py"


def opened(wanted: Analysis) -> AppTest:
    app = settled(open_link({"analysis": wanted.to_query()}, page_of(wanted)))
    return app.run()  # the address has what the widgets began with


@pytest.mark.usefixtures("unfolded")
def test_a_reload_keeps_the_sample_its_split_and_the_settings():
    app = open_app()
    choose_sample(app, "wine")
    app.number_input(key="sidebar.test_size").set_value(20.0).run()
    app.switch_page("pages/classify.py").run()
    app.selectbox(key="classify.classifier").set_value("qda").run()
    app.run()
    again = reload(app, "pages/classify.py")
    assert data_of(again).name == "wine"
    assert again.number_input(key="sidebar.test_size").value == 20
    assert again.selectbox(key="classify.classifier").value == "qda"
    assert again.header[0].value == app.header[0].value
    assert asked(again) == asked(app)


@pytest.mark.usefixtures("unfolded")
def test_what_is_chosen_on_one_page_holds_on_the_others():
    app = open_app("pages/classify.py")
    app.selectbox(key="classify.classifier").set_value("logistic").run()
    app.number_input(key="experiment.logistic.C").set_value(0.001).run()
    app.toggle(key="experiment.standardize").set_value(False).run()
    app.session_state["compare.logistic.expander"] = True
    app.switch_page("pages/compare.py").run()
    settled(app)
    assert app.number_input(key="experiment.logistic.C").value == 0.001
    assert "logistic(C=0.001)" in asked(app).question.lines(asked(app).experiment(data_of(app)))
    assert app.toggle(key="experiment.standardize").value is False
    app.session_state["balance.models"] = True
    app.switch_page("pages/balance.py").run()
    assert app.number_input(key="experiment.logistic.C").value == 0.001
    assert asked(app).steps.standardize is False


WANTED = [
    Analysis(
        SampleData("gaussian"),
        SplitChoice("last", 0.2),
        Steps(False, "polynomial(degree=2)", 2, True),
        {"logistic": {"C": float("inf"), "solver": "newton"}},
        ClassifyQuestion("logistic"),
        {
            "classify.plane.drawing": "surface",
            "classify.plane.camera": "above",
            "classify.panels": "ROC",
        },
    ),
    Analysis(
        SampleData("iris"),
        SplitChoice("stratified", 0.2),
        Steps(True),
        question=ClassifyQuestion("qda"),
        view={
            "classify.panels": "What if",
            "classify.plane.kind": "features",
            "classify.plane.rest": "mean",
            "classify.plane.held": (0.0, 5.25, 1.0, 2.5),
            "classify.whatif.row": 33,
            "classify.whatif.moved": (2.0, 3.125),
        },
    ),
    Analysis(
        SampleData(
            "wine", table=io.TableOptions(roles={"ash": "ignore"}, drop_classes=("class_2",))
        ),
        SplitChoice("stratified", 0.4, 11),
        Steps(True),
        {"lda": {"shrinkage": 0.25}},
        CompareQuestion(
            ("lda", "qda"), {"lda": {"priors": "equal"}}, "3x4-fold", "balanced accuracy", 0.02
        ),
        {"compare.panels": "Boundaries", "compare.planes.kind": "features", "compare.planes.x": 2},
        (ClassifyQuestion("fisher"),),
    ),
    Analysis(
        GeneratedData(((0.0, 0.0), (2.0, 1.0)), sizes=(160, 30), seed=5),
        SplitChoice("stratified", 0.3, 1),
        Steps(True),
        {"qda": {"regularization": 0.5}},
        BalanceCostQuestion(("lda", "qda"), (0.75, 0.25), 5.0, 3, "log loss", "qda"),
    ),
    Analysis(
        SampleData("iris"),
        SplitChoice("stratified", 0.3),
        Steps(True),
        question=BalanceStudyQuestion(
            {"setosa": 20, "virginica": 9}, ("lda",), 2, "log loss", "lda"
        ),
        view={
            "balance.tabs": "Costs",
            "balance.priors.code": 2,
            "balance.priors.share": 0.45,
            "balance.errors.costs": (0.0, 1.0, 1.0, 5.0, 0.0, 1.0, 1.0, 2.5, 0.0),
        },
    ),
    Analysis(
        GeneratedData(sizes=(60, 30, 20), seed=2),
        SplitChoice("stratified", 0.3),
        Steps(True),
        {"lda": {"shrinkage": 0.5}},
        PredictQuestion("lda", "equal", 0.05),
    ),
    Analysis(
        SampleData("digits"),
        SplitChoice("stratified", 0.3),
        Steps(False, None, 0.95),
        question=ExploreQuestion(),
        view={
            "explore.scatter.dimensions": 3,
            "explore.pca.x": 2,
            "explore.panels.images": "Class means",
        },
    ),
]


@pytest.mark.parametrize("wanted", WANTED, ids=lambda wanted: wanted.question.kind)
def test_a_page_restores_a_specification_and_writes_it_again(wanted):
    app = opened(wanted)
    found = asked(app)
    for part in ("data", "split", "steps", "options", "question"):
        assert getattr(found, part) == getattr(wanted, part), part
    assert found.view == found.view | wanted.view
    assert set(wanted.others) <= set(found.others)


@pytest.mark.usefixtures("unfolded")
def test_a_link_with_a_model_twice_opens_so_and_its_second_entry_can_be_removed():
    wanted = CompareQuestion(("lda", "logistic"), {"lda": {}, "logistic": {"C": 0.001}})
    app = opened(Analysis(SampleData("iris"), question=wanted))
    assert app.toggle(key="compare.lda.twice").value
    assert app.toggle(key="compare.logistic.twice").value
    assert app.number_input(key="compare.second.logistic.C").value == 0.001
    assert '"logistic(C=0.001)"' in app.session_state[export_menu.SHOWN].script()
    app.toggle(key="compare.logistic.twice").set_value(False).run()
    assert asked(app).question.second == {"lda": {}}


@pytest.mark.long
def test_the_numbers_of_a_page_are_those_of_its_specification():
    app = opened(WANTED[2].ask(replace(WANTED[2].question, scheme="5-fold")))
    results = asked(app).run(asked(app).load())
    assert len(results.methods) == 3
    shown = main_text(app) + str([frame.value for frame in app.dataframe])
    assert all(label in shown for label in results.settings.labels.values())
    app = opened(WANTED[0])
    fitted = asked(app).run(asked(app).load())
    assert f"{np.mean(fitted.results.predicted[0] == fitted.results.truth):.1%}".replace(
        "%", " %"
    ) in main_text(app).replace("\\", "")


@pytest.mark.parametrize(
    "page", ["pages/classify.py", pytest.param("pages/start.py", marks=pytest.mark.long)]
)
@pytest.mark.usefixtures("unfolded")
def test_an_upload_is_named_after_a_reload_and_the_same_file_gets_its_settings_back(page):
    app = bring(open_app(), ("good.csv", a_table()))
    app.selectbox(key="sidebar.target").set_value("colour").run()
    app.number_input(key="sidebar.test_size").set_value(20.0).run()
    again = reload(app, page)
    assert "upload it again to continue" in again.header[0].value
    assert state.DATASET not in again.session_state
    assert "iris" not in main_text(again)
    assert asked(again) == asked(app)
    bring(again, ("good.csv", a_table()))
    assert data_of(again).target_name == "colour"
    assert data_of(again).digest == data_of(app).digest
    again.switch_page("pages/explore.py").run()
    assert again.number_input(key="sidebar.test_size").value == 20


@pytest.mark.usefixtures("unfolded")
def test_an_upload_of_images_gets_its_options_back():
    raw = a_zip(FOLDERS)
    wanted = Analysis(
        FileData("pets.zip", "", images=io.ImageOptions((3, 4))),
        SplitChoice("stratified", 0.5),
        question=ClassifyQuestion("fisher"),
    )
    app = open_link({"analysis": wanted.to_query()}, "pages/classify.py")
    bring(app, ("pets.zip", raw))
    wait(app)
    assert data_of(app).image_shape == (3, 4)
    assert app.selectbox(key="classify.classifier").value == "fisher"
    assert app.number_input(key="sidebar.test_size").value == 50


def test_images_without_their_duplicates_come_back():
    raw = a_zip(FOLDERS | {"pets/d/again.png": IMAGES["c_0.png"]})
    app = bring(open_app(), ("pets.zip", raw))
    wait(app)
    app.button(key="data.copies.out").click().run()
    wait(app)
    again = bring(reload(app, "pages/data.py"), ("pets.zip", raw))
    wait(again)
    assert data_of(again).n_rows == 8
    assert data_of(again).digest == data_of(app).digest == asked(app).load(raw).digest
    assert asked(again).data == asked(app).data


@pytest.mark.long
def test_arrays_without_their_duplicates_come_back():
    digits = lincore.sample("digits").take([*range(30), *range(0, 30, 3)])
    stream = BytesIO()
    np.savez(stream, X=digits.X.reshape(-1, 8, 8), y=digits.codes)
    app = bring(open_app(), ("digits.npz", stream.getvalue()))
    settled(app)
    app.button(key="data.copies.out").click().run()
    assert asked(app).data.drop_image_duplicates and data_of(app).n_rows == 30
    again = bring(reload(app, "pages/data.py"), ("digits.npz", stream.getvalue()))
    again.run()
    assert data_of(again).digest == data_of(app).digest
    assert asked(again).data == asked(app).data
    assert asked(app).load(stream.getvalue()).digest == data_of(app).digest


def test_a_folder_is_asked_for_and_comes_back():
    app = bring(open_app(), *FOLDERS.items())
    wait(app)
    assert asked(app).data == FileData("pets", asked(app).data.sha256, several=True)
    again = reload(app, "pages/data.py")
    assert "needs pets" in again.header[0].value
    bring(again, *reversed(FOLDERS.items()))
    wait(again)
    assert data_of(again).digest == data_of(app).digest
    assert asked(again) == asked(app)


def test_links_of_large_states_of_samples_are_short():
    data = lincore.sample("breast cancer")
    typed = {name: float(value) for name, value in zip(data.feature_names, data.X[7], strict=True)}
    picked = tuple(range(3, 503))
    asked = Analysis(
        SampleData("breast cancer", table=io.TableOptions(roles=dict.fromkeys(typed, "ignore"))),
        SplitChoice("stratified", 0.35, 4711),
        Steps(False, "polynomial(degree=2)", 7, True),
        {word: {"priors": "equal"} for word in ("lda", "qda")},
        PredictQuestion("lda", ClassShare(1, 0.25), 0.05, rows=TypedRow(typed)),
        {
            "explore.view": "projections",
            "explore.pca.picked": picked,
            "classify.panels": "What if",
            "classify.whatif.moved": tuple(v for i in enumerate(data.X[8].tolist()) for v in i),
            "balance.errors.costs": (0.0, 7.25, 1.5, 0.0),
        },
        (CompareQuestion(), BalanceCostQuestion(), ExploreQuestion(), ClassifyQuestion("qda")),
    )
    assert Analysis.from_query(asked.to_query()) == asked
    assert len(asked.to_query()) < 4096


@pytest.mark.usefixtures("unfolded")
def test_another_file_gets_none_of_the_settings():
    app = bring(open_app(), ("good.csv", a_table()))
    app.selectbox(key="sidebar.target").set_value("colour").run()
    again = bring(reload(app, "pages/data.py"), ("good.csv", a_table(60)))
    assert data_of(again).target_name == "kind"


def test_a_visitor_can_go_on_without_the_file():
    wanted = Analysis(FileData("good.csv", "0" * 64))
    again = open_link({"analysis": wanted.to_query()}, "pages/explore.py")
    again.button(key="again.forget").click().run()
    assert_fine(again)
    assert data_of(again).name == "iris"


def test_the_way_back_restores_what_was_there(monkeypatch):
    app = open_app("pages/classify.py")
    former = link_of(app)
    app.selectbox(key="classify.classifier").set_value("qda").run()
    assert asked(app).question == ClassifyQuestion("qda")
    monkeypatch.setattr("pages.ui.session.link._SECONDS", 0.0)
    app.query_params["analysis"] = former
    app.run()
    assert_fine(app)
    assert app.selectbox(key="classify.classifier").value == "lda"
    assert asked(app).question == ClassifyQuestion("lda")


def test_a_click_before_the_browser_has_the_new_address_undoes_nothing(monkeypatch):
    monkeypatch.setattr("pages.ui.session.link._SECONDS", 120.0)  # however slow the machine is
    app = open_app("pages/classify.py")
    former = link_of(app)
    app.selectbox(key="classify.classifier").set_value("qda").run()
    app.query_params["analysis"] = former
    app.run()
    assert app.selectbox(key="classify.classifier").value == "qda"


def test_a_page_that_runs_itself_again_undoes_nothing_however_late_the_browser_is(monkeypatch):
    app = open_app("pages/classify.py")
    former = link_of(app)
    app.selectbox(key="classify.classifier").set_value("qda").run()
    monkeypatch.setattr("pages.ui.session.link._SECONDS", 0.0)
    app.query_params["analysis"] = former
    app.session_state["shared.link"].is_again = True  # as `link.run_again` leaves it
    app.run()
    assert app.selectbox(key="classify.classifier").value == "qda"
    app.query_params["analysis"] = former
    app.run()
    assert app.selectbox(key="classify.classifier").value == "lda", "and then somebody goes back"


def test_a_sample_is_opened_by_its_name():
    assert data_of(open_link({"sample": "wine"}, "pages/classify.py")).name == "wine"


HOSTILE_VIEW = {
    "classify.plane.ellipses": "yes",
    "classify.plane.x": -(10**9),
    "classify.plane.y": 10**5,
    "classify.panels": "nobody",
    "classify.plane.focus": 77,
    "classify.plane.quantity": "nobody",
    "classify.plane.held": (0.0, 1e300, 3.0, 1.0, 99.0, 2.0, -1.0, 4.0),
    "classify.calibration.of_class": 10**5,
    "classify.curves.classes": (77, -3),
    "classify.equation.first": 99,
    "classify.learned.matrix.which": 10**5,
    "classify.solvers.rate": -1.0,
    "classify.whatif.features": (10**5,),
    "classify.whatif.moved": (-1.0, 5.0, 10.0**9, 1.0),
    "classify.whatif.row": 10**5,
    "balance.errors.costs": (1.0, -3.0, 2.0, 1.0),
    "balance.priors.share": 10**5,
    "balance.sides.x": 1000,
    "balance.more.more": -4,
    "explore.scatter.dimensions": 9,
    "compare.planes.x": 1000,
    "balance.tabs": "nobody",
    "shared.dataset": "gone",
    "sidebar.test_size": 9,
}


QUESTIONS = [
    ClassifyQuestion("multinomial-nb"),
    PredictQuestion("qda", "estimate", rows=TypedRow({"<b>": "x" * 999, "nobody": 1e300})),
    BalanceStudyQuestion({"nobody": 3, "setosa": 10**8}, ("lda",), 2, "nobody"),
    CompareQuestion(("multinomial-nb",), {"fisher": {"n_components": 99}}, score="nobody"),
    ExploreQuestion(),
    BalanceCostQuestion(("lda",), (0.1,) * 7, 1000, 2, "recall of <b>", "qda"),
    PredictQuestion("qda", ClassShare(9_000, 0.1), 0.3),
    PredictQuestion("lda", rows=TypedRow({"sepal length (cm)": "a text"})),
]


@pytest.mark.parametrize(
    "question",
    [*QUESTIONS[:2], *(pytest.param(one, marks=pytest.mark.long) for one in QUESTIONS[2:])],
    ids=lambda question: question.kind,
)
def test_choices_that_the_data_do_not_allow_are_left_out(question):
    wanted = Analysis(
        SampleData("iris"),
        SplitChoice("given", 0.99, 2**31 - 1),
        Steps(None, "kernel(n_components=1000)", 9999, True),
        {"lda": {"priors": [0.5, 0.5]}, "perceptron": {"max_epochs": 1}},
        question,
        HOSTILE_VIEW,
    )
    opened(wanted)


HOSTILE_LINKS = [
    {"sample": "../../etc/passwd"},
    {"analysis": "nonsense"},
    {"analysis": Analysis(FileData("![x](http://evil/p.png) " * 8, "0" * 64)).to_query()},
    {"analysis": "A" * 100_000},
    {"analysis": Analysis(SampleData("wine", "<script>")).to_query()},
    {"analysis": Analysis(SampleData("digits", "pixel")).to_query()},
    {"analysis": Analysis(GeneratedData(((0.0, 0.0), (1.0,)))).to_query()},
]


@pytest.mark.parametrize(
    "parameters",
    [*HOSTILE_LINKS[:3], *(pytest.param(one, marks=pytest.mark.long) for one in HOSTILE_LINKS[3:])],
)
def test_a_hostile_link_is_told_or_falls_back(parameters):
    again = open_link(parameters, "pages/classify.py")
    assert "](http" not in main_text(again)
    assert not list(again.main.get("error"))
