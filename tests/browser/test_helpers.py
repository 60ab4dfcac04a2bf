"""Jobs and selections in a real browser, on a page that holds nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.axe import violations
from tests.browser.dashboard import Dashboard
from tests.browser.server import serving

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lone")


@pytest.fixture(scope="module")
def lone_address(folder: Path) -> Iterator[str]:
    shutil.copy(Path(__file__).with_name("lone_app.py"), folder / "app.py")
    for name in ("pages", "lincore", ".streamlit"):
        (folder / name).symlink_to(ROOT / name)
    with serving(folder, home=folder, log=folder / "log") as url:
        yield url


@pytest.fixture
def dashboard(chromium: Browser, lone_address: str, tmp_path: Path) -> Iterator[Dashboard]:
    visitor = Dashboard(chromium, lone_address, tmp_path)
    visitor.goto("")
    yield visitor
    visitor.close()


def test_a_job_runs_while_the_page_answers_and_can_be_stopped(dashboard, folder):
    hold = folder / "hold"
    hold.touch()
    dashboard.element("lone.run.start").get_by_role("button").click()
    dashboard.element("lone.run.job").get_by_text("of 20 done").wait_for()
    assert not violations(dashboard.page)
    dashboard.switch("lone.aside")
    assert hold.exists(), "the job, which waits for this file to go, is at work"
    assert dashboard.element("lone.run.job").is_visible(), "another widget does not end it"
    dashboard.element("lone.run.stop").get_by_role("button").click()
    dashboard.wait_for_job("lone.run")
    shown = dashboard.text()
    assert "stopped after" in shown and "of 20" in shown and ", stopped" in shown
    hold.unlink()
    dashboard.press("lone.run.restart")
    dashboard.wait_for_job("lone.run")
    assert "Counted 20, finished" in dashboard.text()
    dashboard.check()


def test_rows_are_chosen_by_click_box_and_lasso(dashboard):
    dashboard.click_row("lone.points", 104)
    assert "rows [104]" in dashboard.text()
    dashboard.select_box("lone.points", (-0.3, 1.5), (0.5, 1.5))
    assert "rows [103, 104]" in dashboard.text()
    dashboard.select_lasso("lone.points", [(-0.3, -0.3), (0.6, -0.3), (0.6, 0.6), (-0.3, 1.4)])
    assert "rows [100, 103]" in dashboard.text()


def test_a_cell_is_chosen_by_a_click_on_a_heat_map(dashboard):
    dashboard.click_cell("lone.cells", 2, 0)
    assert "cell [2, 0]" in dashboard.text()
    dashboard.click_cell("lone.cells", 1, 1)
    assert "cell [1, 1]" in dashboard.text()


def test_a_tab_is_opened_and_a_surface_turned(dashboard):
    assert not dashboard.element("lone.hill").count()
    dashboard.open_tab("lone.tabs", "Two")
    assert dashboard.scenes("lone.hill") == 1
    before = dashboard.camera("lone.hill")["eye"]
    dashboard.turn("lone.hill", 80, 20)
    assert dashboard.camera("lone.hill")["eye"] != before
