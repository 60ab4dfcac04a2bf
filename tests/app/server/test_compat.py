"""Every private part of Streamlit may vanish: it is told once, and Streamlit does without."""

from __future__ import annotations

import ast
import logging
import re
import sys
from contextlib import nullcontext
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import FunctionType, SimpleNamespace

import pytest
import streamlit as st
from streamlit import runtime
from streamlit.runtime import app_session, memory_uploaded_file_manager, pages_manager, scriptrunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData
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
    tried = {use.__name__ for use, *_ in USES} | {"index_page"}
    own = {
        name
        for name, found in vars(_compat).items()
        if isinstance(found, FunctionType) and found.__module__ == _compat.__name__
    }
    assert {name for name in own if not name.startswith("_")} == tried
