"""Security headers, the quota on uploads, and the warm-up."""

from __future__ import annotations

import asyncio
import errno
import gzip
import os
import re
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

import pytest
import streamlit as st
from streamlit import config
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager as Files
from streamlit.web.server.app_discovery import discover_asgi_app

from pages.ui.server import middleware, preload

ROOT = Path(__file__).resolve().parents[3]
PATH = "/_stcore/upload_file/{}/file"


def call(app, path: str = "/", method: str = "GET", headers=()) -> list[dict]:
    sent: list[dict] = []
    scope = {"type": "http", "path": path, "method": method, "headers": list(headers)}

    async def send(message):
        sent.append(message)

    async def receive():
        return {"type": "http.request", "body": b""}

    asyncio.run(app(scope, receive, send))
    return sent


def test_a_script_is_compressed_once_for_browsers_that_accept_it():
    body, asked = b"let x = 1;" * 1000, []

    async def app(scope, receive, send):
        asked.append(scope["path"])
        is_there = "none" not in scope["path"]
        headers = [(b"content-type", b"text/javascript"), (b"content-length", b"10000")]
        start = {"type": "http.response.start", "status": 200 if is_there else 404}
        await send(start | {"headers": headers})
        await send({"type": "http.response.body", "body": body[:4000], "more_body": True})
        await send({"type": "http.response.body", "body": body[4000:], "more_body": False})

    server = middleware.compression.Compressed(app)
    gzipped = ((b"Accept-Encoding", b"br, gzip"),)
    for path in ("/static/js/a.b-c_1.js", "/base/static/css/a.css"):
        for _ in range(2):
            start, part = call(server, path, headers=gzipped)
            headers = dict(start["headers"])
            assert gzip.decompress(part["body"]) == body
            assert int(headers[b"content-length"]) == len(part["body"]) < 1000
            assert headers[b"content-encoding"] == b"gzip"
    assert len(asked) == 2
    for path, headers in [
        ("/static/js/a.b-c_1.js", ()),
        ("/static/js/a.b-c_1.js", (*gzipped, (b"range", b"bytes=0-9"))),
        ("/static/js/a.b-c_1.js", (*gzipped, (b"if-none-match", b"x"))),
        ("/static/js//a.js", gzipped),
        ("/media/a.js", gzipped),
        ("/static/js/none.js", gzipped),
        ("/static/js/none.js", gzipped),
    ]:
        assert b"".join(part["body"] for part in call(server, path, headers=headers)[1:]) == body
    assert len(asked) == 9


def answering(content_type: bytes, *more):
    async def app(scope, receive, send):
        headers = [(b"content-type", content_type), *more]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"."})

    return app


def test_a_page_comes_with_a_policy_and_other_answers_without():
    app = middleware.SecurityHeaders(answering(b"text/html; charset=utf-8"))
    headers = dict(call(app)[0]["headers"])
    policy = headers[b"content-security-policy"].decode()
    assert headers[b"x-content-type-options"] == b"nosniff"
    assert "img-src 'self' data: blob:;" in policy and "object-src 'none'" in policy
    assert "'unsafe-inline'" not in policy.split("script-src")[1].split(";")[0]
    assert " blob: " in policy.split("script-src")[1].split(";")[0], "components of our own"
    assert "'sha256-" in policy, "the one script in Streamlit's own page may run"
    plain = dict(call(middleware.SecurityHeaders(answering(b"application/json")))[0]["headers"])
    assert b"content-security-policy" not in plain and b"referrer-policy" in plain


def test_a_page_names_the_script_of_its_figures_for_the_browser_to_fetch():
    headers = dict(call(middleware.SecurityHeaders(answering(b"text/html")))[0]["headers"])
    found = re.fullmatch(
        rb"<\./(static/js/PlotlyChart\.\S+\.js)>; rel=modulepreload", headers[b"link"]
    )
    assert (Path(st.__file__).parent / "static" / found[1].decode()).exists()
    plain = dict(call(middleware.SecurityHeaders(answering(b"image/png")))[0]["headers"])
    assert b"link" not in plain


def test_a_header_that_is_there_already_stays():
    app = middleware.SecurityHeaders(answering(b"text/html", (b"Referrer-Policy", b"no-referrer")))
    values = [v for name, v in call(app)[0]["headers"] if name.lower() == b"referrer-policy"]
    assert values == [b"no-referrer"]


def upload(app, session: str, size: int | None) -> int:
    headers = [] if size is None else [(b"content-length", str(size).encode())]
    return call(app, PATH.format(session), "PUT", headers)[0]["status"]


@pytest.fixture
def held(monkeypatch) -> dict[str, int]:
    held: dict[str, int] = {}
    monkeypatch.setattr(middleware, "held_bytes", lambda: held)
    return held


def test_a_session_may_hold_so_much_and_all_together_so_much(held):
    app = middleware.UploadQuota(answering(b"text/plain"), session_bytes=100, server_bytes=150)
    assert upload(app, "a", 100) == 200
    assert upload(app, "a", 101) == 413
    held["a"] = 60
    assert upload(app, "a", 41) == 413
    assert upload(app, "a", 40) == 200
    assert upload(app, "b", 91) == 413, "the server is full before the session is"
    assert upload(app, "b", 90) == 200
    held.clear()
    assert upload(app, "a", 100) == 200, "what was set free counts no more"


def test_an_upload_of_unknown_length_is_refused(held):
    app = middleware.UploadQuota(answering(b"text/plain"))
    assert upload(app, "a", None) == 411
    assert call(app, PATH.format("a"), "DELETE")[0]["status"] == 200
    assert call(app, "/other", "PUT")[0]["status"] == 200


def test_uploads_on_their_way_count(held):
    app = middleware.UploadQuota(None, session_bytes=100, server_bytes=150)
    statuses = []

    async def slow(scope, receive, send):
        app.app = answering(b"text/plain")
        statuses.append(await asyncio.to_thread(upload, app, "a", 60))
        await app.app(scope, receive, send)

    app.app = slow
    assert upload(app, "a", 60) == 200
    assert statuses == [413]
    assert upload(app, "a", 60) == 200


def test_a_file_is_on_its_way_from_when_a_browser_asks_where_to_put_it(held, monkeypatch):
    announced: dict = {}
    monkeypatch.setattr("pages.ui.server.middleware._announced", announced)
    monkeypatch.setattr(Files, "get_upload_urls", Files.get_upload_urls)
    middleware.note_announced_uploads()
    middleware.note_announced_uploads()
    given = Files("/_stcore/upload_file").get_upload_urls("a", ["one", "two"])
    assert len(announced) == 2
    app = middleware.UploadQuota(answering(b"text/plain"))
    for one in given:
        assert middleware.is_sending("a") and not middleware.is_sending("b")
        call(app, one.upload_url, "PUT", [(b"content-length", b"9")])
    assert not middleware.is_sending("a")
    Files("/").get_upload_urls("a", ["given up"])
    assert middleware.is_sending("a")
    monkeypatch.setattr(middleware, "monotonic", lambda: 1e12)
    assert not middleware.is_sending("a")
    Files("/").get_upload_urls("b", ["next"])
    assert len(announced) == 1


def test_a_browser_keeps_what_it_was_sent_for_more_runs_than_can_be_under_way():
    # With Streamlit's own 2, one of ten jobs stopped on a busy machine ended in "Cached ForwardMsg
    # MISS" (streamlit 15816), and the page was dead until it was loaded again.
    option = "global.maxCachedMessageAge"
    assert config.get_config_options(force_reparse=False)[option].default_val == 2
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert settings["global"]["maxCachedMessageAge"] >= 10


def test_streamlit_serves_the_dashboard_with_them():
    found = discover_asgi_app(ROOT / "app.py")
    assert found.is_asgi_app and found.app_name == "app"


def test_nothing_slow_is_imported_at_the_top():
    code = (
        "import sys; from pages.ui.jobs import page_jobs as jobs;"
        " from pages.ui.widgets import selection;"
        " from pages.ui.server import middleware as serving, preload as warm;"
        " from pages.ui.frame import sidebar;"
        " from pages.ui.session import state;"
        " from pages.ui.start import entries, finished_example;"
        "print([name for name in ('sklearn', 'scipy') if name in sys.modules])"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


def test_the_warm_up_imports_once_and_whoever_waits_goes_on_after_it(monkeypatch):
    gate, asked = threading.Event(), []

    def slow_import(name):
        assert gate.wait(10)
        asked.append(name)

    monkeypatch.setattr("pages.ui.server.preload._started", False)
    monkeypatch.setattr(preload.importlib, "import_module", slow_import)
    monkeypatch.setattr(preload, "gc", type("Gc", (), {"collect": int, "freeze": int}))
    preload.start()
    preload.start()
    assert not preload.wait(0.05)
    gate.set()
    assert preload.wait(10)
    assert asked == [*preload.START, *preload.MODULES]


def test_a_first_visit_to_start_waits_for_what_it_imports_and_for_no_more(monkeypatch):
    gate = threading.Event()

    def slow_import(name):
        assert name in preload.START or gate.wait(10)

    monkeypatch.setattr("pages.ui.server.preload._started", False)
    monkeypatch.setattr(preload.importlib, "import_module", slow_import)
    monkeypatch.setattr(preload, "gc", type("Gc", (), {"collect": int, "freeze": int}))
    preload.start()
    assert preload.wait(10, for_start=True)
    assert not preload.wait(0.05)
    gate.set()
    assert preload.wait(10)


def test_a_first_visit_to_start_imports_nothing_while_the_warm_up_does():
    # Two threads that import a package with circular imports can see parts of it unfinished.
    code = f"""
import importlib, sys
from streamlit.testing.v1 import AppTest
from pages.ui.server import preload
for name in preload.START:
    importlib.import_module(name)
before = set(sys.modules)
app = AppTest.from_file("{ROOT}/app.py", default_timeout=300)
preload.start = lambda: None  # AppTest has no server: the imports would start after this run
app.run()
assert not app.exception and len(app.get("plotly_chart")) == 2
shared = ("lincore", "pages", "numpy", "pandas", "scipy", "sklearn", "pyarrow")
print([name for name in set(sys.modules) - before if name.startswith(shared)])
"""
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == "[]"


def test_after_the_warm_up_which_imports_all_its_modules_blas_has_one_thread():
    code = """
from pages.ui.server import preload as warm
warm.start(); warm.wait()
from threadpoolctl import threadpool_info
found = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
assert found and set(found) == {1}, found
from lincore.utils.threads import part_mapper
with part_mapper(10**6):
    pass
found = [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]
assert set(found) == {1}, found
"""
    many = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, env=many)


def test_the_first_visitor_of_a_server_meets_the_navigation_on_every_page():
    code = """
import app
from streamlit.runtime.pages_manager import PagesManager
manager = PagesManager(app.__file__)
assert PagesManager.uses_pages_directory is False, "pages/ would be the navigation"
"""
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_an_upload_for_which_the_disk_has_no_room_is_refused_in_words(held):
    async def full(scope, receive, send):
        raise OSError(errno.ENOSPC, "No space left on device")

    app = middleware.UploadQuota(full)
    assert upload(app, "a", 10) == 507
    assert not middleware.is_sending("a")
