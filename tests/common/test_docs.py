"""The guide in docs/: its examples run, its figures exist, and no public estimator is left out."""

from __future__ import annotations

import doctest
import inspect
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

import lincore

DOCS = Path(__file__).parents[2] / "docs"
ROOT = DOCS.parent
README = ROOT / "README.md"
TEXT = (DOCS / "estimators.md").read_text(encoding="utf-8")
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Section(NamedTuple):
    """A section of the guide."""

    title: str
    text: str

    @property
    def code(self) -> str:
        """Its examples, as doctest reads them."""
        return "\n".join(re.findall(r"```python\n(.*?)```", self.text, flags=re.DOTALL))

    @property
    def figures(self) -> list[tuple[str, str]]:
        """Text alternatives and paths."""
        return re.findall(r"!\[(.*?)\]\((.*?)\)", self.text, flags=re.DOTALL)


BEGINNING, *_PARTS = re.split(r"^## ", TEXT, flags=re.MULTILINE)
SECTIONS = [Section(part.split("\n", 1)[0], part) for part in _PARTS]


def test_examples_run_from_the_top_of_the_page() -> None:
    # One after the other, as a reader types them: a later one may use an earlier one's names.
    code = "\n".join(part.code for part in (Section("", BEGINNING), *SECTIONS))
    test = doctest.DocTestParser().get_doctest(code, {}, "docs/estimators.md", None, 0)
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
    assert result.attempted > 3 * len(SECTIONS) - 3
    assert not result.failed, "".join(said)


@pytest.mark.parametrize("page", ["balance.md", "library.md"])
def test_examples_of_a_page_run(page: str) -> None:
    code = Section("", (DOCS / page).read_text(encoding="utf-8")).code
    test = doctest.DocTestParser().get_doctest(code, {}, f"docs/{page}", None, 0)
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
    assert result.attempted > 20
    assert not result.failed, "".join(said)


def test_every_page_with_code_is_run() -> None:
    pages = {path.name for path in DOCS.rglob("*.md") if "```python" in path.read_text("utf-8")}
    assert pages == {"balance.md", "estimators.md", "library.md"}


def test_the_readmes_blocks_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), flags=re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    said = capsys.readouterr().out
    assert "corrected priors" in said and "900 rows" in said
    assert (tmp_path / "roc.html").is_file()


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_section_says_everything(section: Section) -> None:
    for part in ("```math", "**Use ", "fail", "**Source**", "```python"):
        assert part in section.text, f"{section.title} lacks {part}"
    assert section.figures
    for alt, path in section.figures:
        assert len(alt) > 60, "the text alternative says the finding"
        assert (DOCS / path).is_file()
        assert (DOCS / path).stat().st_size < 120_000


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "sphinx", "-b", "dummy", "-W", "--keep-going", "-q"]
    folders = [str(DOCS), str(tmp_path / "site"), "-d", str(tmp_path / "read")]
    ended = subprocess.run([*build, *folders], capture_output=True, text=True, cwd=tmp_path)
    assert ended.returncode == 0, ended.stderr
    # Every public name has a place in the reference.
    written = "".join(path.read_text("utf-8") for path in (DOCS / "api").glob("*.rst"))
    assert [name for name in lincore.__all__ if f"lincore.{name}" not in written] == []


def test_every_page_is_on_the_site() -> None:
    pages = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}
    pages -= {name for name in pages if name.startswith("api/")}
    listed = {
        str((path.parent / entry).relative_to(DOCS))
        for path in (DOCS / "index.md", DOCS / "guide" / "index.md")
        for block in re.findall(r"```\{toctree\}\n(.*?)```", path.read_text("utf-8"), re.DOTALL)
        for entry in block.split("\n")
        if entry and not entry.startswith(":")
    }
    assert pages - {"index"} == listed - {"api/index"}


GUIDE = sorted((DOCS / "guide").glob("*.md"))


@pytest.mark.parametrize("path", GUIDE, ids=lambda path: path.stem)
def test_the_guide_of_a_page_names_what_is_on_it(path: Path) -> None:
    text = path.read_text("utf-8")
    for alt, figure in re.findall(r"!\[([^\]]+)\]\((.*?)\)", text):
        assert len(alt) > 40, "the text alternative says what is seen"
        assert (path.parent / figure).stat().st_size < 150_000
    code = "".join(p.read_text("utf-8") for p in ROOT.glob(f"pages/ui/{path.stem}/*.py"))
    for table in re.findall(r"\| (?:tab|view) \|.*?\n\|[-|]+\n((?:\|.*\n)+)", text):
        for label in re.findall(r"^\| (.*?) \|", table, re.MULTILINE):
            assert f'"{label}"' in code, f"{label} is nowhere on the page"


def test_every_figure_is_shown() -> None:
    shown = {path for section in SECTIONS for _, path in section.figures}
    made = {f"figures/{path.name}" for path in (DOCS / "figures").glob("*.png")}
    assert made == shown


def test_the_page_of_plots_shows_all_of_them() -> None:
    page = (DOCS / "plots.md").read_text("utf-8")
    public = {name for name in lincore.plots.__all__ if inspect.isfunction(_plot(name))}
    public -= {"with_row"}  # adds to a plot
    assert set(re.findall(r"^## `(\w+)`", page, flags=re.MULTILINE)) == public
    for name in public - {"surface", "scatter_3d"}:  # drawn in a browser only
        assert f"](figures/plots/{name}.png)" in page
        assert (DOCS / f"figures/plots/{name}.png").stat().st_size < 40_000
        assert str(inspect.getdoc(_plot(name))).split("\n", 1)[0] in page, f"make figures: {name}"


def _plot(name: str) -> object:
    return getattr(lincore.plots, name)


def test_the_readme_shows_every_page() -> None:
    found = re.findall(r"!\[([^\]]+)\]\((docs/figures/pages/\w+\.png)\)", README.read_text())
    made = {f"docs/figures/pages/{path.name}" for path in (DOCS / "figures/pages").iterdir()}
    assert {path for _, path in found} == made
    for alt, path in found:
        assert len(alt) > 40, "the text alternative says what is seen"
        assert (README.parent / path).stat().st_size < 150_000


def test_the_glossary_defines_every_part_of_a_loss() -> None:
    defined = set(
        re.findall(r"^\| \*\*(.+?)\*\* \|", (DOCS / "glossary.md").read_text(), re.MULTILINE)
    )
    gaussian = lincore.sample("gaussian")
    study = lincore.balance(gaussian, {"class 3": 0.5}, "lda", repeats=1)
    cost = lincore.imbalance_cost(gaussian, "lda", repeats=1)
    assert {*study.attribution("lda").parts, *cost.decomposition("lda").parts} <= defined


def test_every_public_estimator_has_a_section() -> None:
    public = {name: getattr(lincore, name) for name in lincore.__all__}
    estimators = [name for name, thing in public.items() if _is_estimator(thing)]
    assert len(estimators) > 10
    told = "\n".join(section.text.split("```")[0] for section in SECTIONS)
    assert [name for name in estimators if f"`{name}`" not in told] == []


def _is_estimator(thing: object) -> bool:
    return inspect.isclass(thing) and hasattr(thing, "fit")
