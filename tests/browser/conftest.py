"""A served dashboard and a real Chromium, one of each for every process of the run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.dashboard import Dashboard
from tests.browser.install import ARGUMENTS, REMEDY, NoBrowserError, find
from tests.browser.server import serving

ROOT = Path(__file__).parents[2]
ARTEFACTS = ROOT / "artefacts"
PROCESS = os.environ.get("PYTEST_XDIST_WORKER", "")
LOG = ARTEFACTS / f"streamlit{'-' * bool(PROCESS)}{PROCESS}.log"
HERE = Path(__file__).parent
APP = HERE.parent / "app"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what drives a browser; the library comes first, its pages next, this folder last."""
    for item in items:
        if _is_here(item) and "chromium" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
    items.sort(key=lambda item: (_is_here(item), APP in item.path.parents))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Keep what the screen, the console and the server showed when a journey failed."""
    report = yield
    dashboard = getattr(item, "funcargs", {}).get("dashboard")
    if report.when == "call" and report.failed and dashboard is not None:
        report.sections.append(("Browser", _scene(dashboard, item.name)))
        report.sections.append(("Server", LOG.read_text(errors="replace")[-4000:]))
    return report


# Both end with the last test of this folder: Playwright leaves an event loop running in its thread,
# and what comes after in the same process may want one of its own.
@pytest.fixture(scope="package")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the dashboard as `make run` does; its log is kept among the artefacts."""
    ARTEFACTS.mkdir(exist_ok=True)
    with serving(ROOT, home=tmp_path_factory.mktemp("home"), log=LOG) as url:
        yield url


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """Start Chromium; without one this fails in CI and skips elsewhere."""
    try:
        path = find()
    except NoBrowserError as error:
        reason = f"{error}. {REMEDY}."
        if os.environ.get("CI", "").lower() in ("", "0", "false"):
            pytest.skip(reason)
        pytest.fail(reason, pytrace=False)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def dashboard(chromium: Browser, address: str) -> Iterator[Dashboard]:
    """Return the helper that drives the dashboard; every test brings its own visitors."""
    visitor = Dashboard(chromium, address, ARTEFACTS / "screenshots")
    yield visitor
    visitor.close()


def _is_here(item: pytest.Item) -> bool:
    return HERE in item.path.parents


def _scene(dashboard: Dashboard, name: str) -> str:
    lines = [f"console: {fault}" for fault in dashboard.faults]
    try:
        path = ARTEFACTS / "screenshots" / f"failed-{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        dashboard.page.screenshot(path=path)
        lines += [f"address: {dashboard.page.url}", f"figure: artefacts/screenshots/{path.name}"]
        lines.append(f"text: {dashboard.text()[:2000]}")  # with the progress of jobs, at the top
    except Exception as error:  # the report of the failure itself must not be lost
        lines.append(f"no figure: {error}")
    return "\n".join(lines)
