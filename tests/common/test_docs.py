"""The guide in docs/: its examples run, its figures exist, and no public estimator is left out."""

from __future__ import annotations

import doctest
import inspect
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

import lincore

DOCS = Path(__file__).parents[2] / "docs"
ROOT = DOCS.parent
README = ROOT / "README.md"
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)
FIGURE = re.compile(r"!\[([^\]]+)\]\((\S+?)\)", re.DOTALL)
PAGES_WITH_CODE = sorted(p for p in DOCS.rglob("*.md") if "```python" in p.read_text("utf-8"))


@pytest.mark.parametrize("page", PAGES_WITH_CODE, ids=lambda page: page.name)
def test_examples_run_from_the_top_of_the_page(page: Path) -> None:
    # One after the other, as a reader types them: a later one may use an earlier one's names.
    blocks = CODE.findall(page.read_text("utf-8"))
    if find_spec("skl2onnx") is None:  # a package of the long suite
        blocks = [block for block in blocks if "lincore.onnx" not in block]
    code = "\n".join(blocks)
    test = doctest.DocTestParser().get_doctest(code, {}, page.name, None, 0)
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
    assert result.attempted > 20
    assert not result.failed, "".join(said)


def test_the_readmes_blocks_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = CODE.findall(README.read_text("utf-8"))
    assert len(blocks) == 2
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    said = capsys.readouterr().out
    assert "corrected priors" in said and "900 rows" in said
    assert (tmp_path / "scores.html").is_file()


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


def test_figures_and_their_text_alternatives_exist() -> None:
    for page in (README, *DOCS.rglob("*.md")):
        for alt, figure in FIGURE.findall(page.read_text("utf-8")):
            assert len(alt) > 20 and (page.parent / figure).is_file(), f"{page.name}: {figure}"


def test_every_figure_is_shown() -> None:
    text = "".join(page.read_text("utf-8") for page in (README, *DOCS.rglob("*.md")))
    made = [path for path in (DOCS / "figures").rglob("*.png") if path.name not in text]
    assert made == []


def test_every_plot_has_a_section() -> None:
    plots = {name for name in lincore.plots.__all__ if inspect.isfunction(_plot(name))}
    page = (DOCS / "plots.md").read_text("utf-8")
    # `with_row` adds to a plot.
    assert set(re.findall(r"^## `(\w+)`", page, flags=re.MULTILINE)) == plots - {"with_row"}


def _plot(name: str) -> object:
    return getattr(lincore.plots, name)


def test_the_glossary_defines_every_part_of_a_loss() -> None:
    defined = set(
        re.findall(r"^\| \*\*(.+?)\*\* \|", (DOCS / "glossary.md").read_text(), re.MULTILINE)
    )
    gaussian = lincore.sample("gaussian")
    study = lincore.balance(gaussian, {"class 3": 0.5}, "lda", repeats=1)
    cost = lincore.imbalance_cost(gaussian, "lda", repeats=1)
    assert {*study.attribution("lda").parts, *cost.attribution("lda").parts} <= defined


def test_every_public_estimator_is_in_the_guide() -> None:
    text = re.sub(CODE, "", (DOCS / "estimators.md").read_text("utf-8"))
    public = {name: getattr(lincore, name) for name in lincore.__all__}
    estimators = [n for n, one in public.items() if inspect.isclass(one) and hasattr(one, "fit")]
    assert len(estimators) > 10
    assert [name for name in estimators if f"`{name}`" not in text] == []
