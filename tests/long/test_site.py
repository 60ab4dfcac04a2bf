"""The site of docs/ builds without a warning and has every public name."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import lincore

DOCS = Path(__file__).parents[2] / "docs"


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "sphinx", "-b", "dummy", "-W", "--keep-going", "-q"]
    folders = [str(DOCS), str(tmp_path / "site"), "-d", str(tmp_path / "read")]
    ended = subprocess.run([*build, *folders], capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    # Every public name has a place in the reference.
    written = "".join(path.read_text("utf-8") for path in (DOCS / "api").glob("*.rst"))
    assert [name for name in lincore.__all__ if f"lincore.{name}" not in written] == []
