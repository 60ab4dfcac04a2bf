"""Import options of a table: how it was read, and every part of that to be chosen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from lincore import io
from lincore.errors import DataError
from pages.ui.session import commands
from pages.ui.session.sources import Source, is_readable
from pages.ui.widgets import tables, text

if TYPE_CHECKING:
    from lincore.io import DetectedOptions

DETECT, AS_DETECTED = "detect", "As detected"

_ENCODINGS = {
    "utf-8": "UTF-8",
    "cp1252": "Windows-1252 (western)",
    "latin-1": "Latin-1",
    "utf-16": "UTF-16",
    "cp1250": "Windows-1250 (central European)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "shift_jis": "Shift JIS",
    "gb18030": "GB 18030",
}
_SEPARATORS = {
    ",": "Comma",
    ";": "Semicolon",
    "\t": "Tab",
    "|": "Vertical bar",
    " ": "Spaces",
    ":": "Colon",
}
_DECIMALS = {".": "Point: 1.5", ",": "Comma: 1,5"}
_THOUSANDS = {"": "None", ",": "Comma", ".": "Point", " ": "Space", "'": "Apostrophe"}
_QUOTES = {'"': 'Double: "', "'": "Single: '", "": "Plain text"}
_COMMENTS = {"": "None", "#": "#", "%": "%", "//": "//", ";": ";"}
_UNEVEN = {
    "mend": "Put right or leave out",
    "keep": "Put right or cut",
    "skip": "Leave out",
}
_HEADERS = {False: "None", **{line: f"In line {line}" for line in range(1, 21)}}


def show(found: Source) -> None:
    """Say in one line how a table was read, and offer the import options."""
    if found.bundled is not None:
        return
    detected = found.table.reading if found.table is not None else None
    with st.container(horizontal=True, vertical_alignment="center", key="data.reading"):
        name = text.escape(found.name or (found.table.name if found.table else ""))
        line = (
            f"Read as **{text.escape(detected)}**"
            if detected is not None
            else f"{name} was not read"
        )
        st.markdown(f"{line}.", width="content")
        _sheet(found, detected)
        if is_readable(found):
            with st.popover("Import options", key="data.otherwise"):
                _otherwise(found, detected)
    if detected is not None and detected.uneven:
        _uneven(detected)


def _uneven(detected: DetectedOptions) -> None:
    """List the uneven lines, with their treatment."""
    count = len(detected.uneven)
    with st.expander(f"{count:,} line{'s' if count > 1 else ''} did not fit", key="data.uneven"):
        tables.show(
            pd.DataFrame(detected.uneven, columns=["line", "text", "outcome"]),
            hide_index=True,
            height=min(38 + 35 * count, 320),
            alt="Lines with more or fewer fields than columns, and their treatment.",
        )


def _sheet(found: Source, detected: DetectedOptions | None) -> None:
    """Offer the other sheets of a workbook, or tables of a zip."""
    names = detected.sheets if detected is not None else ()
    chosen = found.options.sheet if found.options is not None else None
    if len(names) < 2 and chosen is None:
        return
    key = "data.read.sheet"
    st.session_state[key] = detected.sheet if detected is not None else chosen
    st.selectbox(
        "Sheet or table",
        names or [chosen],
        key=key,
        label_visibility="collapsed",
        width=220,
        help="Which sheet of the workbook, or table of the zip. Proposed: the largest one.",
        on_change=lambda: _revise(found, {"sheet": st.session_state.get(key), "table": None}),
    )


def _otherwise(found: Source, detected: DetectedOptions | None) -> None:
    left, right = st.columns(2)
    with left:
        _part("separator", "Separator", _SEPARATORS, found, detected, "Separator between fields.")
        _part("header", "Header", _HEADERS, found, detected, "The line that names the columns.")
        _part("encoding", "Encoding", _ENCODINGS, found, detected, "The character encoding.")
        _part("comment", "Comment lines", _COMMENTS, found, detected, "Prefix of comment lines.")
    with right:
        _part("decimal", "Decimal mark", _DECIMALS, found, detected, "Before the fraction.")
        _part(
            "thousands", "Thousands mark", _THOUSANDS, found, detected, "Between groups of digits."
        )
        _part("quote", "Quotation mark", _QUOTES, found, detected, "Around texts with separators.")
        _marks(found)
        _part(
            "uneven",
            "Lines that do not fit",
            _UNEVEN,
            found,
            None,
            "Treatment of lines with more or fewer fields than columns.",
        )
    n_tables = detected.n_tables if detected is not None else 1
    if n_tables > 1 or (found.options is not None and found.options.table is not None):
        tables_below = {i: f"Number {i}" for i in range(1, n_tables + 1)}
        _part("table", "Table", tables_below, found, None, "Which of the tables in the file.")
    _as_text(found)
    _missing_in(found)
    if found.options is not None:
        st.button(
            "Back to what was detected",
            key="data.read.detect",
            on_click=_revise,
            args=(found, vars(io.ReadOptions())),
            help="Forget everything that was chosen here.",
        )


def _part(
    word: str,
    label: str,
    names: dict[Any, str],
    found: Source,
    detected: DetectedOptions | None,
    help: str,
) -> None:
    """Offer one part of reading: as detected, or something else."""
    key = f"data.read.{word}"
    chosen = getattr(found.options, word) if found.options is not None else None
    names = {DETECT: _detected(word, names, detected, chosen), **names}
    if chosen is not None and chosen not in names:
        names[chosen] = str(chosen)
    # Always what the table was read with: a choice that was refused must not stay.
    st.session_state[key] = DETECT if chosen is None else chosen
    st.selectbox(
        label,
        list(names),
        key=key,
        format_func=lambda value: names.get(value, str(value)),
        help=help,
        accept_new_options=word in ("separator", "encoding", "comment"),
        on_change=lambda: _revise(found, {word: _asked(key, names)}),
    )


def _detected(
    word: str, names: dict[Any, str], detected: DetectedOptions | None, chosen: Any
) -> str:
    if detected is None or chosen is not None:
        return AS_DETECTED
    value = detected.header_line or False if word == "header" else getattr(detected, word)
    shown = names.get(value, io.SEPARATOR_NAMES.get(value, str(value)))
    return f"{AS_DETECTED}: {shown[0].lower() + shown[1:] if shown[1:2].islower() else shown}"


def _asked(key: str, names: dict[Any, str]) -> Any:
    value = st.session_state[key]
    # A click that crosses a new list comes as the words of the old one.
    if isinstance(value, str) and value.startswith(AS_DETECTED):
        return None
    meant = {words: known for known, words in names.items()}
    value = meant.get(value, value)
    return None if value == DETECT else value


def _as_text(found: Source) -> None:
    key = "data.read.text"
    st.session_state[key] = found.options is not None and found.options.as_text
    st.checkbox(
        "Keep cells as text",
        key=key,
        help="Numbers are not parsed; units, currencies and missing-value codes are kept.",
        on_change=lambda: _revise(found, {"as_text": bool(st.session_state.get(key))}),
    )


def _marks(found: Source) -> None:
    key = "data.read.marks"
    marks = found.options.missing_codes if found.options is not None else None
    st.session_state[key] = " ".join(marks or ())
    st.text_input(
        "Missing-value codes",
        key=key,
        placeholder="As detected: blank, ?, -, NA …",
        help="Separated by spaces, instead of the usual ones.",
        on_change=lambda: _revise(
            found, {"missing_codes": tuple(st.session_state[key].split()) or None}
        ),
    )


def _missing_in(found: Source) -> None:
    if found.table is None:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        column = st.selectbox(
            "Missing-value code of a column",
            [str(name) for name in found.table.frame.columns],
            key="data.read.column",
            index=None,
            placeholder="Column",
            help="A number or text that means missing there, such as 0 or -200.",
            width=220,
        )
        value = st.text_input(
            "Value", key="data.read.value", label_visibility="collapsed", placeholder="0", width=90
        )
        if st.button("Read as missing", key="data.read.missing", disabled=column is None):
            _try(lambda: found.with_missing(str(column), (_number(value),)))
            st.rerun()


def _number(value: str) -> str | float:
    try:
        return float(value or 0)
    except ValueError:
        return value


def _revise(found: Source, changes: dict[str, Any]) -> None:
    _try(lambda: found.with_reading(**changes))


def _try(change: Callable[[], Source]) -> None:
    """Make a change; say why not where it contradicts itself."""
    try:
        changed = change()
    except DataError as error:
        commands.refuse_change(error)
    else:
        commands.revise(changed)
