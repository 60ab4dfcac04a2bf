"""The glossary's words in code, messages and guide; on pages: `tests/app/test_pages.py`."""

from __future__ import annotations

import io
import re
import token
import tokenize
from pathlib import Path

import pytest

from tests.common.words import NAMES, replaced, replaced_in_writing

ROOT = Path(__file__).parents[2]
CODE = sorted(
    path
    for folder in ("lincore", "pages", "benchmarks", "docs")
    for path in (ROOT / folder).rglob("*.py*")
    if path.suffix in (".py", ".pyi")
)
#: Without `docs/api/`, which is made from the docstrings.
GUIDE = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(set((ROOT / "docs").rglob("*.md")) - set((ROOT / "docs/api").rglob("*.md"))),
]
#: Names of folders that people give to their images.
FOLDERS_OF_USERS = ROOT / "lincore/io/images/_class_folders.py"


def test_no_name_in_code_is_one_that_the_glossary_replaces():
    found = [
        f"{path.relative_to(ROOT)}:{each.start[0]} {each.string}"
        for path in [ROOT / "app.py", *CODE]
        for each in tokenize.generate_tokens(io.StringIO(path.read_text()).readline)
        if each.type == token.NAME and NAMES.fullmatch(each.string)
    ]
    assert not found, "\n".join(found)


def test_tests_are_named_in_these_words_too():
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in (ROOT / "tests").rglob("*.py")
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if re.search(r"\bdef \w*picture|^PICTURE", line, re.IGNORECASE)
    ]
    assert not found, "\n".join(found)


def test_no_text_in_code_or_guide_has_words_that_the_glossary_replaces():
    found = [
        f"{path.relative_to(ROOT)}:{number} {', '.join(words)}"
        for path in [ROOT / "app.py", *CODE, *GUIDE]
        if path != FOLDERS_OF_USERS
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if (words := replaced_in_writing(line))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    "text",
    [
        "Bring a file",
        "12 pictures of 8 × 9 pixels",
        "the test part",
        "A hill ends",
        "as told",
        "Forget the wish.",
    ],
)
def test_replaced_words_are_found(text):
    assert replaced_in_writing(text)


@pytest.mark.parametrize("text", ["docs/figures/plots/scatter.png", "Upload a file", "a test set"])
def test_the_words_of_the_glossary_are_not(text):
    assert not replaced_in_writing(text)


def test_the_words_of_people_may_be_on_a_page():
    assert not replaced("a good story, told well")
