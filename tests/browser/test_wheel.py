"""The wheel, installed outside the repository: `lincore` serves the dashboard that is in it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import ARTEFACTS
from tests.browser.dashboard import Dashboard
from tests.browser.server import serving
from tests.browser.test_smoke import DRAWN, pages

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
#: All that a wheel is built from.
SOURCES = ("lincore", "pages", ".streamlit", "app.py", "setup.py", "pyproject.toml",
           "requirements.txt", "README.md", "LICENSE")  # fmt: skip
PIP = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel from a copy: no earlier build can lend it a file."""
    copy = tmp_path_factory.mktemp("repository")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(
                ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", "secrets*")
            )
        else:
            shutil.copy(ROOT / name, copy)
    build = [*PIP, "wheel", ".", "--no-deps", "--no-build-isolation", "--wheel-dir", "dist"]
    subprocess.run(build, cwd=copy, check=True)
    (built,) = (copy / "dist").glob("*.whl")
    return built


def test_the_wheel_has_the_library_and_the_dashboard_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    inside = {
        path.relative_to(ROOT)
        for path in (*ROOT.glob("lincore/**/*"), *ROOT.glob("pages/**/*"))
        if path.suffix in (".py", ".pyi", ".typed", ".png", ".html", ".css", ".js", ".json")
    } | {Path("app.py"), Path(".streamlit/config.toml"), Path("lincore/py.typed")}
    assert names == {
        path.as_posix() if path.parts[0] == "lincore" else f"lincore_dashboard/{path.as_posix()}"
        for path in inside
    }


def test_the_installed_command_serves_the_dashboard(
    wheel: Path, tmp_path: Path, chromium: Browser
) -> None:
    installed, elsewhere = tmp_path / "installed", tmp_path / "elsewhere"
    elsewhere.mkdir()
    # A folder of this name where somebody works is not the dashboard's.
    (elsewhere / "pages").mkdir()
    (elsewhere / "pages" / "__init__.py").touch()
    install = [*PIP, "install", "--no-deps", "--no-index", "--target", str(installed)]
    subprocess.run([*install, str(wheel)], cwd=elsewhere, check=True)

    def command(port: int) -> list[str]:
        script = str(installed / "bin" / "lincore")
        return [sys.executable, script, "dashboard", "--no-browser", "--port", str(port)]

    log = ARTEFACTS / "streamlit-wheel.log"
    ARTEFACTS.mkdir(exist_ok=True)
    with serving(elsewhere, tmp_path, log, command, PYTHONPATH=str(installed)) as address:
        visitor = Dashboard(chromium, address, ARTEFACTS / "screenshots")
        visitor.goto("")
        assert visitor.pages() == pages()
        assert visitor.page.get_by_test_id("stMain").locator(DRAWN).count()
        # The settings of .streamlit/config.toml: visitors have no button to deploy the app.
        assert not visitor.page.get_by_test_id("stAppDeployButton").count()
        visitor.check()
        visitor.close()
