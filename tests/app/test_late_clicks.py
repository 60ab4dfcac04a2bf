"""A click that comes when its widget is gone: the page has changed, or the data have."""

from __future__ import annotations

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest

from pages.ui.server import _compat, middleware
from tests.app.data_page import FOLDERS, IMAGES, a_table, a_zip, bring, data_of, several, wait
from tests.app.test_pages import PAGES, assert_fine, open_app


def turned_and_left(page: str) -> tuple[AppTest, WidgetStates]:
    """Return another page, and answers to every widget of the one that was left."""
    app = bring(open_app(), ("t.csv", a_table(60)))
    app.switch_page(page).run()
    if page == "pages/data.py":
        app.selectbox(key="data.target").select("width").run()
        app.selectbox(key="data.bins").select(3).run()
        app.selectbox(key="data.bulk.select").select("Numeric").run()
    assert_fine(app)
    late = _all_changed(app)
    app.switch_page("pages/start.py" if page == "pages/explore.py" else "pages/explore.py").run()
    return app, late


@pytest.mark.parametrize("page", ["pages/data.py", "pages/classify.py"])
@pytest.mark.usefixtures("unfolded")
def test_every_widget_of_a_page_that_was_left_may_still_be_answered(page):
    app, late = turned_and_left(page)
    app._run(late)
    assert_fine(app)


@pytest.mark.usefixtures("unfolded")
@pytest.mark.long
@pytest.mark.parametrize("page", [*PAGES, "pages/balance.py"])
def test_each_late_answer_may_come_by_itself(page):
    """A program that speaks for a visitor may send no more than what has changed."""
    app, late = turned_and_left(page)
    app._run(late)
    assert_fine(app)
    for answer in late.widgets:
        app._run(WidgetStates(widgets=[answer]))
        assert_fine(app)


@pytest.mark.parametrize(
    "raw",
    [a_table(60), pytest.param(b"length,kind\n1,x\n2,x\n3,x\n", marks=pytest.mark.long)],
    ids=["good", "refused"],
)
def test_a_target_of_the_former_table_is_let_pass(raw):
    app = bring(open_app(), ("one.csv", b"a,b,kind\n1,2,x\n3,4,y\n5,7,x\n8,1,y\n"))
    app.selectbox(key="data.target").select("a")
    late = app.selectbox(key="data.target")._widget_state
    bring(app, ("other.csv", raw))
    before = data_of(app)
    app._run(WidgetStates(widgets=[late]))
    assert_fine(app)
    assert data_of(app) is before


def test_a_callback_about_the_former_data_is_let_pass():
    # A browser under load answers for a widget of the former run, whose callback knows the former
    # table: what has come since must not be taken for it.
    def script() -> None:
        from pages.ui.session import commands, state

        state.choose_sample("iris")
        former = state.sample_source()
        assert former is not None
        commands.generate({})
        commands.revise(former.with_target("species"))
        assert state.data_source().kind == "generated" and state.source() is None
        state.choose_sample("wine")
        commands.revise(former.with_target("species"))
        assert state.data_source().name == "wine" and state.require_dataset().name == "wine"

    app = AppTest.from_function(script, default_timeout=30).run()
    assert not app.exception


@pytest.mark.usefixtures("unfolded")
def test_classes_of_the_former_data_are_let_pass():
    app = open_app("pages/balance.py")
    late = app.multiselect(key="balance.classes")._widget_state
    late.string_array_value.data[:] = ["Class of another table"]
    app._run(WidgetStates(widgets=[late]))
    assert_fine(app)


@pytest.mark.parametrize(
    ("start", "page"),
    [
        ("pages/data.py", "pages/explore.py"),
        ("pages/data.py", "pages/start.py"),
        pytest.param("pages/start.py", "pages/data.py", marks=pytest.mark.long),
    ],
)
def test_a_file_is_not_lost_where_its_visitor_goes_on_before_it_is_read(start, page):
    # Both requests in one run: the file has arrived, and the page has no uploader or another one.
    app = open_app(start)
    app.file_uploader[0].upload("t.csv", a_table(60))
    app.switch_page(page).run()
    assert_fine(app)
    assert data_of(app).name == "t"


def test_images_are_not_lost_where_their_visitor_goes_on_either():
    app = open_app()
    app.file_uploader[0].upload("pets.zip", a_zip(FOLDERS))
    wait(app.switch_page("pages/explore.py"))
    assert data_of(app).name == "pets"


def test_what_cannot_be_used_is_told_on_every_page():
    app = open_app()
    before = data_of(app)
    app.file_uploader[0].upload("broken.zip", b"PK no zip")
    app.switch_page("pages/explore.py").run()
    assert data_of(app) is before
    (told,) = app.sidebar.error
    assert "broken" in told.value
    app.switch_page("pages/balance.py").run()
    assert len(app.sidebar.error) == 1
    app.button(key="sidebar.dismiss").click().run()
    assert_fine(app)
    assert not app.error


@pytest.mark.usefixtures("unfolded")
def test_a_target_that_cannot_be_one_is_told_where_it_was_chosen():
    app = bring(open_app(), ("t.csv", b"a,b,kind\n1,,x\n3,,y\n5,,x\n8,,y\n"))
    app.switch_page("pages/explore.py").run()
    app.selectbox(key="sidebar.target").select("b").run()
    (told,) = app.sidebar.error
    assert "b" in told.value and app.selectbox(key="sidebar.target").value == "kind"


def test_files_of_which_more_are_coming_are_not_read_in_part(monkeypatch):
    app = open_app()
    before = data_of(app)
    several(app, IMAGES.items())
    monkeypatch.setattr(middleware, "is_sending", lambda session: True)
    app.switch_page("pages/explore.py").run()
    assert_fine(app)
    assert data_of(app) is before


def test_a_file_on_its_way_is_read_when_it_has_come_on_whatever_page(monkeypatch):
    app = open_app("pages/start.py")
    monkeypatch.setattr(middleware, "is_sending", lambda session: True)
    for page in ("pages/data.py", "pages/explore.py", "pages/data.py"):
        app.switch_page(page).run()
        assert_fine(app)
        assert any("Receiving a file" in said.value for said in app.caption)
        assert data_of(app).name == "iris"
    monkeypatch.setattr(middleware, "is_sending", lambda session: False)
    left = [_compat.Upload("t.csv", a_table(60), "1")]
    monkeypatch.setattr(_compat, "uploads", lambda: list(left))
    monkeypatch.setattr(_compat, "free_upload", lambda file_id: left.pop(int(file_id) - 1))
    app.run()
    assert_fine(app)
    assert data_of(app).name == "t" and not left
    assert not any("Receiving a file" in said.value for said in app.caption)


def test_files_of_a_former_visit_are_not_read_in_a_later_one(monkeypatch):
    app = open_app("pages/explore.py")
    before, left = data_of(app), [_compat.Upload("t.csv", a_table(60), "1")]
    monkeypatch.setattr(_compat, "uploads", lambda: list(left))
    monkeypatch.setattr(_compat, "free_upload", lambda file_id: left.pop(int(file_id) - 1))
    app.switch_page("pages/data.py").run()
    app.switch_page("pages/explore.py").run()
    assert_fine(app)
    assert data_of(app) is before and not left


def _all_changed(app: AppTest):
    """Return the answers of a visitor who has turned every widget that is in sight."""
    for box in app.selectbox:
        if not box.disabled:
            box.set_value(next(option for option in reversed(box.options) if option != box.value))
    for box in app.multiselect:
        box.set_value([])
    for field in (*app.slider, *app.number_input):
        if isinstance(field.value, (int, float)):
            field.set_value(field.min if field.value != field.min else field.max)
    for field in app.text_input:
        field.set_value("other")
    for box in (*app.checkbox, *app.toggle):
        box.set_value(not box.value)
    return app._tree.get_widget_states()
