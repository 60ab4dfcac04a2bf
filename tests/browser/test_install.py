"""The search for a Chromium, on machines made of small scripts."""

import os
import sys
from pathlib import Path

import pytest

from tests.browser import install

WORKING = "#!/bin/sh\necho '<html><head></head><body></body></html>'\n"
BROKEN = "#!/bin/sh\necho 'error while loading shared libraries: libnss3.so' >&2\nexit 127\n"


def program(folder: Path, name: str, script: str) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(script)
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the only folder of PATH, empty; Playwright has no browser either."""
    monkeypatch.delenv("CHROMIUM_PATH", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(install, "_playwright_browser", lambda: None)
    return tmp_path / "bin"


def test_a_browser_on_the_path_is_found(machine: Path) -> None:
    path = program(machine, "google-chrome", WORKING)
    assert install.find() == str(path)


def test_a_browser_that_does_not_start_is_passed_over(machine: Path) -> None:
    program(machine, "chromium", BROKEN)
    path = program(machine, "chromium-browser", WORKING)
    assert install.find() == str(path)


def test_chromium_path_comes_first(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(machine, "chromium", WORKING)
    chosen = program(machine.parent / "elsewhere", "chrome", WORKING)
    monkeypatch.setenv("CHROMIUM_PATH", str(chosen))
    assert install.find() == str(chosen)


def test_a_bad_chromium_path_is_not_silently_replaced(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    program(machine, "chromium", WORKING)
    monkeypatch.setenv("CHROMIUM_PATH", "/nowhere/chromium")
    with pytest.raises(install.NoBrowserError, match="CHROMIUM_PATH: /nowhere/chromium"):
        install.find()
    assert install.main() == 1
    assert capsys.readouterr().out == ""


def test_playwrights_browser_is_the_last_resort(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = program(machine.parent / "playwright", "chrome", WORKING)
    monkeypatch.setattr(install, "_playwright_browser", lambda: str(own))
    assert install.find() == str(own)
    on_path = program(machine, "chromium", WORKING)
    assert install.find() == str(on_path)


def test_without_a_browser_playwright_is_asked_and_then_apt(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if not hasattr(os, "geteuid"):
        pytest.skip("apt-get belongs to Linux")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    program(machine, "apt-get", "#!/bin/sh\n")
    asked: list[list[str]] = []

    def run(command: list[str]) -> bool:
        asked.append(command)
        if "install" in command and command[0] == "apt-get":
            program(machine, "chromium", WORKING)
        return command[0] == "apt-get"

    monkeypatch.setattr(install, "_run", run)
    assert install.main() == 0
    assert [command[:3] for command in asked] == [
        [sys.executable, "-m", "playwright"],
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-y"],
    ]
    # Standard output is the path and nothing else: the Makefile reads it.
    assert capsys.readouterr().out == f"{machine / 'chromium'}\n"


def test_no_browser_and_no_way_to_one_says_what_to_do(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(install, "_run", lambda command: False)
    assert install.main() == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "set CHROMIUM_PATH" in captured.err
