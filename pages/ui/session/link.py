"""The link: data, target, split and main settings as query parameters, written and read.

A first form. A reload or an opened link restores a sample and generated classes; an upload is
named, so that the same file, once uploaded again, gets its target and settings back. Whatever
does not hold is left out without a word: a link made by hand can be wrong, never harmful.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, NamedTuple

import streamlit as st

from lincore.io.samples import SAMPLES
from pages.ui.session import commands, state

#: Widgets whose value, a word, the link keeps; a page forgets one that it does not offer.
SETTINGS = (
    "classify.word",
    "classify.pca",
    "classify.drawing",
    "compare.scheme",
    "explore.view",
    "balance.mode",
    "balance.method",
    "balance.loss",
)
HOW, SHARE, SEED = "sidebar.how", "sidebar.share", "sidebar.seed"
_SPLIT = re.compile(r"(stratified|last|given|group)-(\d{1,2})-(\d{1,4})")
_SHARES = range(5, 51, 5)
_SHA = re.compile(r"[0-9a-f]{12}")
_WORD = re.compile(r"[\w .,()=-]{1,80}")
_LONGEST_NAME = 200
# Of the arguments of generated classes: characters, classes or features, rows in all.
_LONGEST_JSON, _MOST, _MOST_ROWS = 4_000, 20, 100_000
_LARGEST = 1e9

_READ, _AWAITED = "shared.link.read", "shared.link.awaited"


class Awaited(NamedTuple):
    """A file that was in use before the page was loaded again, and what goes with it."""

    name: str
    sha: str
    parameters: Mapping[str, str]


def restore() -> None:
    """Make the session what its link says: once, before anything is drawn."""
    if not st.session_state.get(_READ):
        st.session_state[_READ] = True
        if not state.has_dataset():
            _open(st.query_params.to_dict())
    wanted = awaited()
    if wanted is not None and state.has_dataset():
        forget()
        if state.origin().sha == wanted.sha:
            _apply(wanted.parameters)


def awaited() -> Awaited | None:
    """Return the file that has to be uploaded again."""
    found: Awaited | None = st.session_state.get(_AWAITED)
    return found


def forget() -> None:
    """Wait for no file any more."""
    st.session_state.pop(_AWAITED, None)


def write() -> None:
    """Put data, target, split and settings of the session into the address."""
    wanted = awaited()
    parameters = dict(wanted.parameters) if wanted is not None else _parameters()
    if st.query_params.to_dict() != parameters:
        st.query_params.from_dict(parameters)


def _parameters() -> dict[str, str]:
    if not state.has_dataset():
        return {}
    found = _data_parameters(state.origin())
    source = state.source()
    if source is not None and source.target:
        found["target"] = source.target[:_LONGEST_NAME]
    how, share, seed = (st.session_state.get(key) for key in (HOW, SHARE, SEED))
    if how is not None:
        found["split"] = f"{how}-{share or 30}-{seed or 0}"
    for key in SETTINGS:
        value = st.session_state.get(key)
        if isinstance(value, str) and _WORD.fullmatch(value):
            found[key] = value
    return found


def _data_parameters(origin: state.Origin) -> dict[str, str]:
    if origin.kind == "sample":
        return {"sample": origin.name}
    if origin.kind == "generated":
        packed = json.dumps(dict(origin.arguments), separators=(",", ":"))
        return {"gaussian": packed} if len(packed) <= _LONGEST_JSON else {}
    return {"file": origin.name[:_LONGEST_NAME], **({"sha": origin.sha} if origin.sha else {})}


def _open(parameters: Mapping[str, str]) -> None:
    """Open the data of a link, or wait for them."""
    if parameters.get("sample") in SAMPLES:
        state.choose_sample(parameters["sample"])
    elif "gaussian" in parameters:
        arguments = read_arguments(parameters["gaussian"])
        if arguments is not None:
            commands.generate(arguments)
            # Numbers that make no classes: not the visitor's fault.
            state.dismiss()
    elif parameters.get("file"):
        name, sha = parameters["file"][:_LONGEST_NAME], parameters.get("sha", "")
        st.session_state[_AWAITED] = Awaited(
            name, sha if _SHA.fullmatch(sha) else "", dict(parameters)
        )
    if state.has_dataset():
        _apply(parameters)


def _is_array(value: Any, depth: int) -> bool:
    """Tell whether a value is lists in lists of finite numbers, small ones."""
    if depth == 0:
        plain = isinstance(value, (int, float)) and not isinstance(value, bool)
        return plain and abs(value) < _LARGEST and isfinite(value)
    short = isinstance(value, list) and 0 < len(value) <= _MOST
    return short and all(_is_array(part, depth - 1) for part in value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_ROWS


def _are_sizes(value: Any) -> bool:
    if not isinstance(value, list):
        return value is None or _is_count(value)
    return len(value) <= _MOST and all(map(_is_count, value)) and sum(value) <= _MOST_ROWS


_ARGUMENTS: Mapping[str, Callable[[Any], bool]] = {
    "means": lambda value: value is None or _is_array(value, 2),
    "covariances": lambda value: value is None or _is_array(value, 2) or _is_array(value, 3),
    "sizes": _are_sizes,
    "priors": lambda value: value is None or _is_array(value, 1),
    "outliers": lambda value: _is_array(value, 0),
    "label_noise": lambda value: _is_array(value, 0),
    "seed": _is_count,
}


def read_arguments(packed: str) -> dict[str, Any] | None:
    """Return the arguments of `lincore.io.samples.gaussian_classes` that a link holds, if any."""
    if len(packed) > _LONGEST_JSON:
        return None
    try:
        found = json.loads(packed)
    except (ValueError, RecursionError):
        return None
    holds = isinstance(found, dict) and all(
        name in _ARGUMENTS and _ARGUMENTS[name](value) for name, value in found.items()
    )
    return found if holds else None


def _apply(parameters: Mapping[str, str]) -> None:
    """Give the session the target, the split and the settings of a link, as far as they hold."""
    source, target = state.source(), parameters.get("target")
    if source is not None and target and target != source.target:
        commands.choose_target(target)
        state.dismiss()
    split = _SPLIT.fullmatch(parameters.get("split", ""))
    if split is not None:
        how, share, seed = split[1], int(split[2]), int(split[3])
        st.session_state[HOW] = how
        if share in _SHARES:
            st.session_state[SHARE] = share
        st.session_state[SEED] = seed
    for key in SETTINGS:
        value = parameters.get(key, "")
        if _WORD.fullmatch(value):
            st.session_state[key] = value
