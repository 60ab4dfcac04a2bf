"""Words that the glossary replaces and that have no other honest use here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from streamlit.testing.v1 import AppTest

#: Names of functions, classes, parameters and variables.
NAMES = re.compile(
    "heard|TOLD|n_beyond|with_beyond|let_pass|courtesy|hills?|roof|[Bb]eliefs?|n_arms|arms?|NestedRows|"
    r"may_go_on|halve_steps|whose_rows|OnDemand|tiers?|[Pp]ile|\w*(picture|PICTURE)\w*|n_said|"
    "weight_images|"
    "log_error_|fit_front|find_copies|copies_across|Copies|Wish|adopt|take_over|typical_row|"
    "Window|Frame|GaussianTruth|cell_view|ArmLosses|missing_marks|max_held_rows|TrainingPart|"
    "cut_alike|cut_into_bins|said|told|front|fronts|Front|keep_former|note_former|winner|"
    "KnownTruth|Evidence|came_true"
)

#: Words of sentences: on pages, in messages, docstrings and the guide.
PHRASES = re.compile(
    r"\b(bring (a|one|your) (file|table)|told apart|tells? (classes )?apart|worth a look|"
    r"(test|training) parts?|taken for|too small to matter|size by size|priors in use|"
    r"most iterations|rows of a step|share that was so|was so in|off by up to|sum so far|"
    r"(buys?|bought) back|why it fell|read it otherwise|marks of missing|missing marks|"
    r"keep one of each|flatter(ed|s|ing)?|uneven rows|heard|stands? there|dear(er)?|"
    r"pictures?|hills?|roof|log[ -]errors?|confident errors?|bring up to date|"
    r"former settings|typical row|the model says|for ever|tiers?|guessing|"
    r"told the shares|wrong (rows?|images?)|(most|wholly) (wrong|right)|more right|"
    r"(rows?|images?) (are|come out|is) wrong|gaussian bumps?|cut (it )?into ranges|"
    r"a copy or nearly|weights of the pixels|names as they stand|"
    r"summed (beyond|ones)|rows that are summed|shares? (of rows )?for testing|the truth of)\b",
    re.IGNORECASE,
)

#: The same of code and guide alone: texts of people that a page shows have these words, too.
WRITTEN = re.compile(r"\b(told|said|wish(es)?|tells? of)\b", re.IGNORECASE)

_SHOWN = ("alt", "body", "caption", "default", "help", "label", "options", "placeholder", "title")


def shown(app: AppTest) -> Iterator[str]:
    """Yield the texts of a page that was drawn: labels, helps, sentences, titles of figures."""
    for block in (app.main, app.sidebar):
        for node in block:
            fields = getattr(node, "proto", None)
            for field, value in fields.ListFields() if fields is not None else ():
                if field.name == "spec" and isinstance(value, str) and value.startswith("{"):
                    yield str(json.loads(value).get("layout"))
                elif field.name in _SHOWN and isinstance(value, str):
                    yield value
                elif field.name in _SHOWN and field.name == "options":
                    yield from (each for each in value if isinstance(each, str))


def replaced(text: str) -> list[str]:
    """Return the words in a text that the glossary replaces."""
    return [found[0] for found in PHRASES.finditer(text)]


def replaced_in_writing(text: str) -> list[str]:
    """Return the words in a line of code or of the guide that the glossary replaces."""
    return replaced(text) + [found[0] for found in WRITTEN.finditer(text)]


def plain(text: str) -> str:
    """Return text without Markdown, its blanks and signs made alike."""
    text = re.sub(r":material/\w+:", "", text).replace("**", "").removeprefix("- ")
    text = re.sub(r"\\([\\`*_{}\[\]()<>#+\-.!|~$:&])", r"\1", text)
    return " ".join(text.replace("−", "-").replace("\u00a0", " ").split())
