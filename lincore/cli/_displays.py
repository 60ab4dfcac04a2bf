"""Displays that a command names by the calls of the library: ``results.pairwise(rope=0.01)``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from typing import Any, TypeAlias

from lincore import displays
from lincore.displays import Display
from lincore.model_selection.specs import parse_spec, split_specs

# The name of a display, such as "results.pairwise", and its settings.
Call: TypeAlias = tuple[str, dict[str, Any]]


def read_calls(text: str, roots: Sequence[str]) -> list[Call]:
    """Return the displays in a comma-separated list; `roots` are the results that there are."""
    every = {getattr(getattr(displays, name), "made_by", "") for name in dir(displays)}
    known = sorted(name for name in every if name and name.partition(".")[0] in roots)
    if not known:
        raise ValueError("this question has no displays to choose from.")
    calls = []
    for piece in split_specs(text):
        root, _, call = piece.strip().partition(".")
        word, settings = parse_spec(call) if call else ("", {})
        name = f"{root}.{word}"
        if name not in known:
            raise ValueError(f"there is no display {piece}; choose among {', '.join(known)}")
        calls.append((name, settings))
    return calls


def make_display(call: Call, results: Mapping[str, Any]) -> Display:
    """Return a display of one of the results, which are given by name."""
    name, settings = call
    root, _, method = name.partition(".")
    make = getattr(results[root], method)
    if "data" in signature(make).parameters:  # studies do not hold their rows
        settings = {"data": results["data"], **settings}
    try:
        signature(make).bind(**settings)
    except TypeError as error:
        raise ValueError(f"{name}: {error}") from error
    made: Display = make(**settings)
    return made
