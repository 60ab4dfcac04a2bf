"""Words that the glossary replaces and that have no other honest use here."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from streamlit.testing.v1 import AppTest

#: Names of functions, classes, parameters and variables.
NAMES = re.compile(
    "heard|n_streamed|with_streamed|yield_to_rendering|courtesy|hills?|posterior_surface|[Bb]eliefs?|n_subsets|subsets?|NestedSubsets|"
    "should_continue|backtracking_line_search|row_owner|LazyMapping|groups?|[Pp]ile|[Pp]ictures?|coefficient_images|"
    "log_loss_|fit_preprocessor|find_near_duplicates|duplicates_across_split|NearDuplicates|PendingRead|apply_result|claim_uploads|median_row|"
    "Window|Frame|TrueParameters|condition_view|SubsetLosses|missing_codes|max_rows_in_memory|TrainingSet|"
    "reduce_proportionally|bin_values"
)

#: Words of sentences: on pages, in messages, docstrings and the guide.
PHRASES = re.compile(
    r"\b(bring (a|one|your) (file|table)|distinguished|tells? (classes )?apart|worth a look|"
    r"(test|training) parts?|mistaken for|too small to matter|size by size|priors in use|"
    r"most iterations|rows of a step|share that was so|was so in|off by up to|sum so far|"
    r"(buys?|bought) back|why it fell|read it otherwise|marks of missing|missing-value codes|"
    r"keep one of each|flatter(ed|s|ing)?|uneven rows|heard|stands? there|dear(er)?|"
    r"images?(?![/_\w])|hills?|posterior_surface|log[ -]errors?|confident errors?|bring up to date|"
    r"former settings|typical row|the model says|for ever|groups?|guessing|"
    r"told the shares|weights of the pixels)\b",
    re.IGNORECASE,
)

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
