"""Every private part of Streamlit may vanish: it is told once, and Streamlit does without."""

from __future__ import annotations

import ast
import asyncio
import logging
import re
import sys
from contextlib import nullcontext
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import FunctionType, SimpleNamespace
from unittest.mock import MagicMock

import pytest
import streamlit as st
from streamlit import runtime
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime import app_session, memory_uploaded_file_manager, pages_manager, scriptrunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.testing.v1 import AppTest

from pages.ui.server import _compat, middleware
from tests.app.server.test_middleware import answering, call

ROOT = Path(__file__).parents[3]
Manager = memory_uploaded_file_manager.MemoryUploadedFileManager
NONE = _compat.ScriptRun()

#: A use, what it says where its part is gone, and the parts: modules, or names of an object.
USES = [
    (_compat.session_id, (), None, [scriptrunner.__name__, (scriptrunner, "get_script_run_ctx")]),
    (_compat.page, (), "", [scriptrunner.__name__, (scriptrunner, "get_script_run_ctx")]),
    (
        _compat.is_fragment_run,
        (),
        False,
        [scriptrunner.__name__, (scriptrunner, "get_script_run_ctx")],
    ),
    (_compat.uploads, (), [], [scriptrunner.__name__, (scriptrunner, "get_script_run_ctx")]),
    (_compat.cookies, (), {}, [(st, "context")]),
    (_compat.free_upload, ("f",), None, [(scriptrunner, "get_script_run_ctx")]),
    (_compat.is_open, ("s",), True, [runtime.__name__, (runtime, "exists")]),
    (_compat.all_uploads, (), {}, [runtime.__name__, (runtime, "exists")]),
    (_compat.forget_closed_sessions, (), None, [runtime.__name__, (runtime, "exists")]),
    (
        _compat.announce_uploads,
        (print,),
        None,
        [
            memory_uploaded_file_manager.__name__,
            (memory_uploaded_file_manager, "MemoryUploadedFileManager"),
        ],
    ),
    (
        _compat.announce_navigation,
        (),
        None,
        [pages_manager.__name__, (pages_manager, "PagesManager")],
    ),
    (
        _compat.keep_navigation,
        (),
        None,
        [app_session.__name__, (app_session.AppSession, "request_rerun")],
    ),
    (
        _compat.keep_clicks,
        (),
        None,
        [app_session.__name__, (app_session.AppSession, "request_rerun")],
    ),
    (
        _compat.keep_last_messages,
        (),
        None,
        [
            app_session.__name__,
            (app_session.AppSession, "request_rerun"),
            (app_session.AppSession, "_handle_scriptrunner_event_on_event_loop"),
        ],
    ),
    (
        _compat.let_runs_wait,
        (nullcontext,),
        None,
        [
            app_session.__name__,
            (app_session, "ScriptRunner"),
            (app_session.ScriptRunner, "_run_script"),
        ],
    ),
]
ABSENCES = [
    pytest.param(*use, part, id=f"{use[0].__name__}-{part if isinstance(part, str) else part[1]}")
    for *use, parts in USES
    for part in parts
]


@pytest.fixture(autouse=True)
def told(monkeypatch, caplog):
    """Return what was logged, of a process that has not logged anything yet."""
    monkeypatch.setattr("pages.ui.server._compat._logged", set())
    caplog.set_level(logging.WARNING, _compat.log.name)
    return caplog


def lines(told) -> list[str]:
    return [one.getMessage() for one in told.records if one.name == _compat.log.name]


@pytest.mark.parametrize(("use", "args", "default", "part"), ABSENCES)
def test_what_has_vanished_is_told_once_and_done_without(
    monkeypatch, told, use, args, default, part
):
    before = {
        name: vars(owner).get(name)
        for owner, name in ((app_session, "ScriptRunner"), (Manager, "get_upload_urls"))
    }
    if isinstance(part, str):
        monkeypatch.setitem(sys.modules, part, None)
    else:
        before.pop(part[1], None)
        monkeypatch.delattr(*part)
    assert [use(*args) for _ in range(2)] == [default] * 2
    (line,) = lines(told)
    assert use.__name__ in line
    for owner, name in ((app_session, "ScriptRunner"), (Manager, "get_upload_urls")):
        assert name not in before or vars(owner)[name] is before[name], "left as it was"


@pytest.mark.parametrize(
    ("use", "args", "default"),
    [
        (_compat.is_open, ("s",), True),
        (_compat.all_uploads, (), {}),
        (_compat.forget_closed_sessions, (), None),
    ],
)
def test_a_server_without_the_parts_of_now_is_done_without(monkeypatch, told, use, args, default):
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", SimpleNamespace)
    assert use(*args) == default
    assert len(lines(told)) == 1


@pytest.mark.parametrize(
    ("use", "args", "default"),
    [
        (_compat.session_id, (), None),
        (_compat.page, (), ""),
        (_compat.uploads, (), []),
        (_compat.free_upload, ("f",), None),
    ],
)
def test_a_script_without_the_parts_of_now_is_done_without(monkeypatch, told, use, args, default):
    monkeypatch.setattr(scriptrunner, "get_script_run_ctx", lambda **named: SimpleNamespace())
    assert use(*args) == default
    assert len(lines(told)) == 1


def test_outside_of_scripts_and_servers_nothing_is_told(told):
    assert _compat.session_id() is None and _compat.page() == ""
    assert _compat.uploads() == [] and _compat.all_uploads() == {} and _compat.is_open("s")
    _compat.free_upload("f")
    _compat.forget_closed_sessions()
    assert not lines(told)


def test_a_run_of_unknown_kind_has_its_turn(told, monkeypatch):
    class Runner:
        _pages_manager = SimpleNamespace(current_page_script_hash="b")

        def _run_script(self, rerun_data):
            done.append(rerun_data)

    runs, done = [], []
    monkeypatch.setattr(app_session, "ScriptRunner", Runner)
    _compat.let_runs_wait(lambda run: runs.append(run) or nullcontext())
    app_session.ScriptRunner()._run_script(SimpleNamespace())
    assert len(lines(told)) == 1
    app_session.ScriptRunner()._run_script(
        RerunData(page_script_hash="a", fragment_id_queue=["f"], is_auto_rerun=True)
    )
    assert runs == [NONE, (True, True, False)] and len(done) == 2


def test_a_popover_that_closes_with_a_click_on_a_link_does_not_call_the_page_back(
    monkeypatch, told
):
    def said(page: str, n_widgets: int) -> ClientState:
        widgets = [WidgetState(id=str(i), bool_value=False) for i in range(n_widgets)]
        return ClientState(page_script_hash=page, widget_states=WidgetStates(widgets=widgets))

    class Session:
        def request_rerun(self, client_state):
            shown.append(client_state and client_state.page_script_hash)

    shown = []
    monkeypatch.setattr(app_session, "AppSession", Session)
    _compat.keep_navigation()
    session, other = Session(), Session()
    for page, n_widgets in (("a", 0), ("a", 2), ("b", 0), ("a", 3), ("b", 1), ("a", 0), ("a", 1)):
        session.request_rerun(said(page, n_widgets))
    other.request_rerun(said("a", 1))
    session.request_rerun(None)
    assert shown == ["a", "a", "b", "b", "b", "a", "a", "a", None]
    monkeypatch.setattr(_compat, "_MOMENT", 0.0)
    session.request_rerun(said("b", 1))
    assert shown[-1] == "b", "a page that a script has shown"
    assert not lines(told)


class Runner:
    """A thread that runs scripts, in which nothing runs."""

    def __init__(self, initial_rerun_data, **named):
        self.on_event, self._requests = MagicMock(), ScriptRequests()
        self.request_rerun, self.request_stop = (
            self._requests.request_rerun,
            self._requests.request_stop,
        )
        self.request_rerun(initial_rerun_data)

    def start(self):
        pass

    def next_run(self):
        """Return what it is to run, as the thread asks for it; None where it ends."""
        request = self._requests.on_scriptrunner_ready()
        return request.rerun_data if request.type.name == "RERUN" else None


@pytest.fixture
def in_session(monkeypatch):
    """Return a function that runs another with a session of Streamlit, as the dashboard has it."""
    session = app_session.AppSession
    for name in ("request_rerun", "_handle_scriptrunner_event_on_event_loop"):
        monkeypatch.setattr(session, name, getattr(session, name))
    monkeypatch.setattr(session, "register_file_watchers", lambda self: None)
    monkeypatch.setattr(app_session, "ScriptRunner", Runner)
    _compat.keep_clicks()
    _compat.keep_last_messages()

    async def play(act):
        visit = session(MagicMock(main_script_path="app.py"), *[MagicMock() for _ in range(4)])
        visit._fragment_storage.register("line", print)
        act(visit)
        visit._scriptrunner = None

    return lambda act: asyncio.run(play(act))


def clicked(button: str = "", fragment: str = "", **said) -> ClientState:
    widgets = [WidgetState(id=button, trigger_value=True)] if button else []
    return ClientState(fragment_id=fragment, widget_states=WidgetStates(widgets=widgets), **said)


def test_what_a_run_drew_last_is_sent_although_a_fragment_is_asked_for(in_session, told):
    def act(session):
        handle = session._handle_scriptrunner_event_on_event_loop
        session.request_rerun(clicked())
        page = session._scriptrunner
        assert page.next_run() is not None and page.next_run() is None
        session.request_rerun(clicked("stop", "line"))
        line = session._scriptrunner
        assert line is not page
        timer = ForwardMsg()
        timer.auto_rerun.fragment_id = "line"
        session.flush_browser_queue()
        handle(page, scriptrunner.ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, forward_msg=timer)
        handle(page, scriptrunner.ScriptRunnerEvent.SHUTDOWN)
        assert session.flush_browser_queue() == [timer]
        assert session._scriptrunner is line

        session.request_rerun(clicked())
        handle(line, scriptrunner.ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, forward_msg=timer)
        assert not session.flush_browser_queue(), "the page is drawn anew"

    in_session(act)
    assert not lines(told)


@pytest.mark.parametrize("phase", ["asked for", "waits for its turn", "while another runs"])
def test_a_click_is_kept_where_the_page_is_asked_for_before_it_is_heard(in_session, told, phase):
    def act(session):
        session.request_rerun(clicked("" if phase == "while another runs" else "stop", "line"))
        former = session._scriptrunner
        if phase != "asked for":
            former.lincore_waiting = former.next_run()
        if phase == "while another runs":
            del former.lincore_waiting
            session.request_rerun(clicked("stop", "line"))
        session.request_rerun(clicked("other"))
        assert former.next_run() is None
        assert "lincore_waiting" not in vars(former), "it does not run it as well"
        asked = session._scriptrunner.next_run().widget_states.widgets
        assert {widget.id for widget in asked} == {"stop", "other"}

    in_session(act)
    assert not lines(told)


@pytest.mark.parametrize(
    ("said", "is_heard"),
    [({}, True), ({"is_auto_rerun": True}, False), ({"page_script_hash": "left"}, False)],
    ids=["click", "timer", "page that was left"],
)
def test_a_click_in_a_fragment_that_is_gone_is_heard_by_the_page(in_session, told, said, is_heard):
    def act(session):
        session.request_rerun(clicked())
        page = session._scriptrunner
        assert page.next_run() is not None
        session.request_rerun(clicked("cell", "gone", **said))
        if not is_heard:
            assert session._scriptrunner is page and page.next_run() is None
            return
        asked = session._scriptrunner.next_run()
        assert not asked.fragment_id_queue
        assert [widget.id for widget in asked.widget_states.widgets] == ["cell"]

    in_session(act)
    assert not lines(told)


def test_files_that_are_given_otherwise_are_not_announced(monkeypatch, told):
    monkeypatch.setattr(Manager, "get_upload_urls", lambda self, session, names: list(names))
    announced = []
    _compat.announce_uploads(lambda *what: announced.append(what))
    assert Manager("/").get_upload_urls("s", ["t.csv"]) == ["t.csv"]
    assert announced == [("s", [])]
    assert len(lines(told)) == 1


def allowed_scripts() -> str:
    """Return what the policy that comes with a page says of scripts, in a new process's words."""
    spec = spec_from_file_location("pages.ui.server.of_this_test", middleware.__file__)
    new = module_from_spec(spec)  # the policy is worked out once
    spec.loader.exec_module(new)
    app = new.SecurityHeaders(answering(b"text/html"))
    policy = dict(call(app)[0]["headers"])[b"content-security-policy"].decode()
    return policy.split("script-src")[1].split(";")[0]


def test_a_page_that_is_not_found_may_run_its_scripts(monkeypatch, told, tmp_path):
    assert "'unsafe-inline'" not in allowed_scripts()
    monkeypatch.setattr(st, "__file__", str(tmp_path / "__init__.py"))
    assert "'unsafe-inline'" in allowed_scripts()
    assert len(lines(told)) == 1


def script() -> None:
    import streamlit as st

    from pages.ui.server import _compat

    st.file_uploader("Files", key="files")
    st.session_state["known"] = (_compat.session_id(), _compat.page())
    st.session_state["held"] = _compat.uploads()
    for one in _compat.uploads():
        _compat.free_upload(one.file_id)
    st.session_state["left"] = _compat.uploads()


def test_a_script_knows_its_session_its_page_and_its_files(told):
    app = AppTest.from_function(script).run()
    assert all(app.session_state["known"])
    app.file_uploader[0].upload("t.csv", b"a,b").run()
    (held,) = app.session_state["held"]
    assert held[:2] == ("t.csv", b"a,b")
    assert app.session_state["left"] == []
    assert not app.exception and not lines(told)


#: What Streamlit documents, though not as `st.name`.
PUBLIC = {"streamlit.delta_generator.DeltaGenerator"}
NAMED_TUPLES = {"_replace", "_asdict", "_fields"}
PRIVATE = re.compile(r"\._session_mgr|uploaded_file_mgr|file_storage|get_script_run_ctx|_hash\b")


def test_private_parts_are_used_in_one_place():
    sources = [ROOT / "app.py", *(ROOT / "pages").rglob("*.py")]
    sources.remove(Path(_compat.__file__))
    for path in sources:
        source = path.read_text("utf-8")
        assert not PRIVATE.search(source), path
        for node in ast.walk(ast.parse(source)):
            names = set()
            if isinstance(node, ast.Attribute) and node.attr not in NAMED_TUPLES:
                of_its_own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
                assert of_its_own or not re.match("_[a-z]", node.attr), f"{path}: {node.attr}"
            if isinstance(node, ast.ImportFrom):
                names = {f"{node.module}.{alias.name}" for alias in node.names}
            elif isinstance(node, ast.Import):
                names = {alias.name for alias in node.names} - {"streamlit"}
            assert {name for name in names if name.startswith("streamlit")} <= PUBLIC, path


def test_every_use_of_a_private_part_is_tried_without_it():
    tried = {use.__name__ for use, *_ in USES} | {"index_page", "plotly_chunk"}
    own = {
        name
        for name, found in vars(_compat).items()
        if isinstance(found, FunctionType) and found.__module__ == _compat.__name__
    }
    assert {name for name in own if not name.startswith("_")} == tried
