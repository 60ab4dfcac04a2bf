"""Import options of a table, and a preview of its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import io
from lincore.errors import DataError
from pages.ui.session import commands
from pages.ui.session.sources import Source, is_readable
from pages.ui.widgets import tables, text

if TYPE_CHECKING:
    from lincore.io import DetectedOptions

SHOWN_ROWS = 200
# More columns than this are slow in a browser, and nobody looks at them.
SHOWN_COLUMNS = 100
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
_HEADERS = {False: "None", **{line: f"In line {line}" for line in range(1, 21)}}


def reading(found: Source) -> None:
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
        if is_readable(found):
            with st.popover("Import options", key="data.otherwise"):
                _otherwise(found, detected)


def rows(found: Source) -> None:
    """Show the first rows as they stand in the file."""
    if found.table is None or found.used is None:
        return
    frame = found.used.frame
    st.subheader("Rows", anchor=False)
    shown = frame.iloc[:SHOWN_ROWS, :SHOWN_COLUMNS]
    with st.container(key="data.rows"):
        tables.show(
            shown,
            hide_index=True,
            height=min(38 + 35 * len(shown), 320),
            alt=f"The first {len(shown)} rows of {found.name}.",
        )
    part = f"The first {len(shown):,} of" if len(shown) < len(frame) else "All"
    drawn = found.table.source is not None
    wide = frame.shape[1] > SHOWN_COLUMNS
    columns = f", the first {SHOWN_COLUMNS} of {frame.shape[1]:,} columns" if wide else ""
    st.caption(
        f"{part} {len(frame):,} rows{columns}"
        + ("." if found.bundled is not None else ", as in the file.")
        + (f" They were drawn at random from {found.table.source.n_rows:,}." if drawn else "")
    )


def _otherwise(found: Source, detected: DetectedOptions | None) -> None:
    left, right = st.columns(2)
    with left:
        _part("separator", "Separator", _SEPARATORS, found, detected, "What stands between fields.")
        _part("header", "Header", _HEADERS, found, detected, "The line that names the columns.")
        _part("encoding", "Encoding", _ENCODINGS, found, detected, "The character encoding.")
        _part("comment", "Comment lines", _COMMENTS, found, detected, "What a comment begins with.")
    with right:
        _part("decimal", "Decimal mark", _DECIMALS, found, detected, "Before the fraction.")
        _part(
            "thousands", "Thousands mark", _THOUSANDS, found, detected, "Between groups of digits."
        )
        _part("quote", "Quotation mark", _QUOTES, found, detected, "Around texts with separators.")
        _marks(found)
    _missing_in(found)
    if found.options is not None:
        st.button(
            "Back to what was detected",
            key="data.read.detect",
            on_click=_revise,
            args=(found, dict.fromkeys(vars(found.options))),
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
            help="A number or text that stands for a missing value there: 0 or -200.",
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
