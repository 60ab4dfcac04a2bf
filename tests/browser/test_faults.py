"""Faults as a visitor meets them: of the server, of the connection, of another tab."""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import WebSocketRoute

from tests.browser.conftest import ARTEFACTS, ROOT
from tests.browser.dashboard import Dashboard
from tests.browser.server import free_port, kill, serving

pytestmark = pytest.mark.long

OWN = "own.csv"


def table() -> bytes:
    """Return a table of 1,200 rows, whose study takes some seconds."""
    rng = np.random.default_rng(0)
    codes = np.arange(1200) % 3
    X = rng.standard_normal((1200, 20)) + 0.4 * codes[:, None] * rng.standard_normal(20)
    lines = [
        ",".join([*(f"{x:.4f}" for x in row), f"k{c}"]) for row, c in zip(X, codes, strict=True)
    ]
    return "\n".join([",".join([*(f"x{j}" for j in range(20)), "kind"]), *lines]).encode()


def ask_for_long(visitor: Dashboard) -> None:
    """Ask for a study of many splits, and wait until it is at work."""
    visitor.press("balance.options")
    visitor.enter("balance.repeats", 200)
    visitor.element("balance.study.job").wait_for()


def test_a_server_that_was_killed_during_a_study_is_met_again(chromium, tmp_path):
    port, log = free_port(), tmp_path / "log"
    visitor = Dashboard(chromium, f"http://localhost:{port}", ARTEFACTS / "screenshots")
    try:
        with serving(ROOT, tmp_path, log, port=port, end=kill):
            visitor.goto()
            visitor.upload("data.upload", (OWN, table()))
            visitor.visit("balance")
            visitor.choose("balance.method", "QDA")
            ask_for_long(visitor)
            found = re.sub(r"^After .* splits: |the error of .*", "", visitor.headline())
            assert "training rows of 'k2'" in found
        visitor.page.get_by_role("dialog", name="Connection error").wait_for()
        with serving(ROOT, tmp_path, log, port=port):
            asked = visitor.page.get_by_text(
                f"This analysis needs {OWN}: upload it again to continue."
            )
            asked.wait_for()
            assert "or the server restarts" in visitor.text()
            visitor.upload("again.upload", (OWN, table()))
            visitor.page.get_by_text(found).first.wait_for()
            visitor.settle()
            assert "the error of QDA" in visitor.headline()
    finally:
        visitor.close()


def workers(mark: str) -> list[int]:
    """Return the processes that do the work of the server with a mark: they were forked."""
    parents = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            is_marked = mark.encode() in (folder / "environ").read_bytes()
            if is_marked and b"fork_server" in (folder / "cmdline").read_bytes():
                stat = (folder / "stat").read_text()
                parents[int(folder.name)] = int(stat.rpartition(")")[2].split()[1])
        except OSError:
            continue
    return [pid for pid, parent in parents.items() if parent in parents]


@pytest.mark.skipif(sys.platform != "linux", reason="work is done in processes on Linux alone")
def test_a_fault_in_native_code_ends_its_study_and_nothing_else(chromium, tmp_path):
    mark = f"fault-{os.getpid()}"
    with serving(ROOT, tmp_path, tmp_path / "log", LINCORE_MARK=mark) as address:
        visitor = Dashboard(chromium, address, ARTEFACTS / "screenshots")
        try:
            visitor.goto()
            visitor.upload("data.upload", (OWN, table()))
            visitor.visit("balance")
            ask_for_long(visitor)
            deadline = time.monotonic() + 20
            while not (found := workers(mark)):
                assert time.monotonic() < deadline, "no process does the study"
            os.kill(found[0], signal.SIGSEGV)
            visitor.page.get_by_text("A crash in native code ended this computation").wait_for()
            visitor.page.get_by_role("button", name="Try again").click()
            visitor.settle()
            assert "the error of LDA" in visitor.headline()
            visitor.visit("classify")
            assert visitor.headline().startswith("LDA reaches")
        finally:
            visitor.close()


def test_a_connection_that_was_cut_is_taken_up_where_it_was(dashboard):
    dashboard.goto("classify?sample=wine")
    is_cut, sockets, refused = [], [], []

    def pass_on(socket: WebSocketRoute) -> None:
        if is_cut:
            refused.append(socket)
            socket.close()
        else:
            socket.connect_to_server()
            sockets.append(socket)

    dashboard.page.route_web_socket(re.compile("/_stcore/stream"), pass_on)
    dashboard.page.reload()
    dashboard.settle()
    dashboard.choose("classify.classifier", "QDA")
    found = dashboard.headline()
    is_cut.append(True)
    sockets[-1].close()
    dashboard.page.get_by_text("CONNECTING").wait_for()
    while not refused:  # the browser tries again, in vain
        dashboard.page.evaluate("new Promise(requestAnimationFrame)")
    is_cut.clear()
    dashboard.page.get_by_text("CONNECTING").wait_for(state="detached")
    dashboard.settle()
    assert dashboard.headline() == found and "QDA" in found
    dashboard.choose("classify.classifier", "LDA")
    assert "LDA" in dashboard.headline()


def test_two_tabs_know_nothing_of_each_other(dashboard):
    dashboard.goto("classify?sample=wine")
    found = dashboard.headline()
    other = dashboard.page.context.new_page()
    other.goto(f"{dashboard.address}/classify?sample=iris")
    other.get_by_text("45 test rows").first.wait_for()
    dashboard.choose("classify.classifier", "QDA")
    assert "QDA" in dashboard.headline() != found
    assert other.get_by_text("QDA reaches").count() == 0
    other.close()
