"""A served dashboard and a real Chromium, one of each for the whole run."""

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
LOG = ARTEFACTS / "streamlit.log"
HERE = Path(__file__).parent


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is in this folder; under pytest-xdist one process takes all of it."""
    for item in items:
        if HERE in item.path.parents and "dashboard" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
            if config.pluginmanager.hasplugin("xdist"):
                item.add_marker(pytest.mark.xdist_group("browser"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Keep what the screen, the console and the server showed when a journey failed."""
    report = yield
    dashboard = getattr(item, "funcargs", {}).get("dashboard")
    if report.when == "call" and report.failed and dashboard is not None:
        report.sections.append(("Browser", _scene(dashboard, item.name)))
        report.sections.append(("Server", LOG.read_text(errors="replace")[-4000:]))
    return report


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the dashboard as `make run` does; its log is kept among the artefacts."""
    ARTEFACTS.mkdir(exist_ok=True)
    with serving(ROOT, home=tmp_path_factory.mktemp("home"), log=LOG) as url:
        yield url


@pytest.fixture(scope="session")
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


def _scene(dashboard: Dashboard, name: str) -> str:
    lines = [f"console: {fault}" for fault in dashboard.faults]
    try:
        path = ARTEFACTS / "screenshots" / f"failed-{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        dashboard.page.screenshot(path=path)
        lines += [f"address: {dashboard.page.url}", f"picture: artefacts/screenshots/{path.name}"]
    except Exception as error:  # the report of the failure itself must not be lost
        lines.append(f"no picture: {error}")
    return "\n".join(lines)
