"""Every link of the course and of the table of texts opens what it names, and shows its numbers."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import pytest
from streamlit.testing.v1 import AppTest

from lincore.analysis import Analysis, BalanceStudyQuestion, GeometryQuestion
from tests.app.settling import settled
from tests.app.test_pages import ROOT, assert_fine

DOCS = ROOT / "docs"
MADE: dict[str, Any] = runpy.run_path(str(DOCS / "links.py"))
DEFINED = re.compile(r"^\[([a-z-]+)\]: \S+?/(\w+)\?analysis=(\S+)$", re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.^_])\d[\d,]*(?:\.\d+)?(?:e-?\d+)?(?!\w)")
#: Opened in the short suite; the others take minutes together.
SHORT_LINKS, SHORT_ROWS = {"r-what-if", "faces-study", "g-race-rates"}, {"P32", "F42", "F16"}


class Row(NamedTuple):
    """A row of a table: its name, the links in it, and the numbers that are seen."""

    name: str
    links: tuple[str, ...]
    numbers: tuple[str, ...]


class Number(NamedTuple):
    """A number as it is written: its size, and its digits after the point."""

    value: float
    decimals: int


def links() -> dict[str, tuple[str, str]]:
    """Return the page and the query of every link, by its name."""
    texts = [(DOCS / page).read_text(encoding="utf-8") for page in MADE["PAGES"]]
    found = [match for text in texts for match in DEFINED.findall(text)]
    return {name: (page, query) for name, page, query in found}


def rows() -> Iterator[Row]:
    """Yield the rows with links whose last cell states numbers."""
    for page in MADE["PAGES"]:
        for line in (DOCS / page).read_text(encoding="utf-8").splitlines():
            names = MADE["names_in"](line)
            if not names or not line.startswith("| "):
                continue
            name, *_, seen = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            # AT&T's faces want a download.
            clauses = [] if seen.startswith("AT&T") else seen.split(";")
            stated = " ".join(clause for clause in clauses if "AT&T" not in clause)
            stated = re.sub(r"\]\[[a-z-]+\]", "", stated)
            numbers = found_in(stated)
            if numbers:
                yield Row(name, tuple(names), tuple(numbers))


def found_in(text: str) -> list[str]:
    """Return the numbers with a decimal point, or of two digits and more: others are everywhere."""
    numbers = [found.rstrip(",") for found in NUMBER.findall(text)]
    return [n for n in numbers if "." in n or ("e" not in n and len(n) > 1)]


LINKS, ROWS = links(), {row.name: row for row in rows()}


def some_long(names: Sequence[str], short: set[str]) -> list[Any]:
    assert short <= set(names)
    return [pytest.param(n, marks=() if n in short else pytest.mark.long) for n in names]


def opened(name: str, query: str = "") -> AppTest:
    page, query = LINKS[name][0], query or LINKS[name][1]
    app = AppTest.from_file(ROOT / "app.py", default_timeout=60).switch_page(f"pages/{page}.py")
    app.query_params["analysis"] = query
    app.run()
    assert_fine(app)
    return app


@cache
def numbers_on(name: str) -> frozenset[Number]:
    """Return the numbers on the page that a link opens; of an experiment those of its answer."""
    app = opened(name, with_few_splits(name)).run()
    texts = [*written(settled(app)), *(frame.value.to_string() for frame in app.dataframe)]
    plain = re.sub(r"\\([^\w\s])", r"\1", "\n".join(texts))  # as Markdown draws it
    return frozenset(map(number, found_in(plain)))


def with_few_splits(name: str) -> str:
    """Return the query of a link with two random splits instead of thirty, and answers revealed."""
    wanted = Analysis.from_query(LINKS[name][1])
    if isinstance(wanted.question, BalanceStudyQuestion):
        wanted = wanted.ask(replace(wanted.question, repeats=2))
    if isinstance(wanted.question, GeometryQuestion):
        wanted = wanted.ask(replace(wanted.question, revealed=True))
    return wanted.to_query()


def written(app: AppTest) -> Iterator[str]:
    """Yield the sentences and formulas of a page, those of figures and frames among them."""
    for node in app.main:
        fields = getattr(node, "proto", None)
        for field, value in fields.ListFields() if fields is not None else ():
            if field.name in ("body", "alt", "label", "delta", "code_text"):
                yield str(value)
            elif field.name == "spec":
                figure = json.loads(value)
                yield json.dumps(figure["layout"], ensure_ascii=False)
                yield from (str(trace.get("text", "")) for trace in figure["data"])
            elif field.name == "json":
                sentences = re.findall(r'"sentence": ("(?:[^"\\]|\\.)*")', value)
                yield from map(json.loads, sentences)


def number(text: str) -> Number:
    digits = text.replace(",", "")
    mantissa, _, exponent = digits.partition("e")
    decimals = len(mantissa.partition(".")[2]) - int(exponent or 0)
    return Number(float(digits), decimals)


def is_shown(stated: Number, shown: frozenset[Number]) -> bool:
    """Tell if a page shows a number, to two digits after the point at least or to all of it."""
    wanted = [stated]
    if stated.value < 1:  # a page writes shares as per cent
        wanted.append(Number(100 * stated.value, max(stated.decimals - 2, 0)))
    for value, decimals in wanted:
        for other in shown:
            digits = min(decimals, other.decimals)
            close = abs(value - other.value) <= 0.500001 * 10.0**-digits
            if close and digits >= min(decimals, 2):
                return True
    return False


def test_no_link_is_outdated_undefined_or_unused():
    for page in MADE["PAGES"]:
        text = (DOCS / page).read_text(encoding="utf-8")
        assert MADE["with_definitions"](page, text) == text, "run python docs/links.py"
    # Presets of the laboratory come in where a step of the course wants them.
    assert {name for name in MADE["LINKS"] if not name.startswith("g-")} <= set(LINKS)


def test_every_row_of_the_texts_is_there():
    text = (DOCS / "texts.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([LFPQS])(\d+) \|", text, flags=re.MULTILINE)
    count = {letter: sum(first == letter for first, _ in rows) for letter in "LFPQS"}
    assert count == {"L": 46, "F": 49, "P": 42, "Q": 22, "S": 19}


@pytest.mark.parametrize("name", some_long(list(LINKS), SHORT_LINKS))
def test_a_link_opens_what_it_names(name):
    wanted, app = Analysis.from_query(LINKS[name][1]), opened(name)
    shown = app.query_params["analysis"]
    found = Analysis.from_query(shown[0] if isinstance(shown, list) else shown)
    assert found.data == wanted.data and type(found.question) is type(wanted.question)
    given = {k: v for k, v in vars(wanted.question).items() if v not in (None, (), {})}
    assert {key: getattr(found.question, key) for key in given} == given
    assert found.steps.n_components == wanted.steps.n_components
    assert (found.steps.basis is None) is (wanted.steps.basis is None)
    assert found.options == wanted.options
    kept = {key: found.view.get(key) for key in wanted.view}
    assert kept == dict(wanted.view)


@pytest.mark.parametrize("name", some_long(list(ROWS), SHORT_ROWS))
def test_the_numbers_of_a_row_are_on_the_page_that_it_opens(name):
    row = ROWS[name]
    shown = frozenset().union(*(numbers_on(link) for link in row.links if link in LINKS))
    missing = [text for text in row.numbers if not is_shown(number(text), shown)]
    assert not missing, f"{row.name}, {', '.join(row.links)}"


@pytest.mark.parametrize(
    "name", [name for name in LINKS if name.startswith("faces-study") and name != "faces-study"]
)
@pytest.mark.long
def test_a_link_to_a_study_reduces_a_class(name):
    app = settled(opened(name, with_few_splits(name)))
    assert not [info.value for info in app.info], "Reduce at least one class."
    assert app.header[0].value.startswith("With 37 instead of 112 training images of 'Ben'")


def test_a_class_cut_to_a_share_keeps_it_of_its_training_rows():
    wanted = MADE["LINKS"]["faces-study"]
    cut = wanted.ask(replace(wanted.question, sizes={"Ben": 0.5}))
    app = opened("faces-study", cut.to_query())
    assert app.slider(key="balance.size.1").value == 56
