"""The library as seen by editors and type checkers."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import jedi

import lincore

ROOT = Path(__file__).parents[2]
SCRIPT = """
import lincore

data = lincore.load("passengers.csv", target="survived")
results = lincore.compare(data, ["lda", "qda"], "10-fold", keep_models=True)
reveal_type(results.to_frame())
reveal_type(results.best)
reveal_type(data.counts.sum())
reveal_type(lincore.LinearDiscriminantAnalysis(shrinkage="oas"))
lincore.laod("passengers.csv")
lincore.load(target="survived")
"""


def test_a_users_script_is_checked(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    # From the root, where `make lint` has left its cache; as strict as that.
    run = subprocess.run(
        [sys.executable, "-m", "mypy", str(script)], cwd=ROOT, capture_output=True, text=True
    )
    assert 'Revealed type is "pandas.' in run.stdout, run.stdout
    assert 'Revealed type is "str"' in run.stdout
    assert "LinearDiscriminantAnalysis" in run.stdout
    assert 'Module has no attribute "laod"' in run.stdout
    assert 'Missing positional argument "source"' in run.stdout
    assert run.stdout.count("error:") == 2, run.stdout


def completed(code: str) -> set[str]:
    """Return what an editor offers behind the last character of a script."""
    lines = code.split("\n")
    script = jedi.Script(code, project=jedi.Project(ROOT))
    return {found.name for found in script.complete(len(lines), len(lines[-1]))}


def test_editors_complete_names():
    assert set(lincore.__all__) <= completed("import lincore\nlincore.")
    compared = "import lincore\nr = lincore.compare(lincore.sample('iris'), 'lda')\nr."
    assert {"scores", "pairwise", "groups", "best", "model", "to_frame"} <= completed(compared)


def test_types_are_shipped():
    assert (Path(lincore.__file__).parent / "py.typed").is_file()
    assert "py.typed" in (ROOT / "setup.py").read_text()
