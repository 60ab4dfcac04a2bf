"""Import options of a table: the detected ones, and widgets to change them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import fields, io
from lincore.displays import UnevenLinesDisplay
from lincore.errors import DataError
from pages.ui.session import commands
from pages.ui.session.sources import Source, is_readable
from pages.ui.widgets import displays, tables, text

if TYPE_CHECKING:
    from lincore.io import DetectedOptions

_FIELDS = {option.name: option.field for option in fields.options(io.ReadOptions)}
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
    "mend": "Repair or leave out",
    "keep": "Repair or cut",
    "skip": "Leave out",
}
_HEADERS = {False: "None", **{line: f"In line {line}" for line in range(1, 21)}}


def show(source: Source) -> None:
    """State in one line how a table was read, and offer the import options."""
    if source.bundled is not None:
        return
    detected = source.table.reading if source.table is not None else None
    with st.container(horizontal=True, vertical_alignment="center", key="data.reading"):
        name = text.escape(source.name or (source.table.name if source.table else ""))
        line = (
            f"Read as **{text.escape(detected)}**"
            if detected is not None
            else f"{name} was not read"
        )
        st.markdown(f"{line}.", width="content")
        _sheet(source, detected)
        if is_readable(source):
            with st.popover("Import options", key="data.otherwise", on_change="rerun") as panel:
                if panel.open:
                    _import_options(source, detected)
    if detected is not None and detected.uneven:
        _uneven(detected)


def _uneven(detected: DetectedOptions) -> None:
    """List the uneven lines, with their treatment."""
    uneven = UnevenLinesDisplay(detected)
    finding = displays.parts(uneven).finding
    with st.expander(finding, key="data.uneven"):
        tables.show(displays.table(uneven), hide_index=True, alt=finding)


def _sheet(source: Source, detected: DetectedOptions | None) -> None:
    """Offer the other sheets of a workbook, or tables of a zip."""
    names = detected.sheets if detected is not None else ()
    chosen = source.options.sheet if source.options is not None else None
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
        help="Sheet of the workbook, or table of the zip. Default: the largest.",
        on_change=lambda: _revise(source, {"sheet": st.session_state.get(key), "table": None}),
    )


def _import_options(source: Source, detected: DetectedOptions | None) -> None:
    left, right = st.columns(2)
    with left:
        _part("separator", _SEPARATORS, source, detected)
        _part("header", _HEADERS, source, detected)
        _part("encoding", _ENCODINGS, source, detected)
        _part("comment", _COMMENTS, source, detected)
    with right:
        _part("decimal", _DECIMALS, source, detected)
        _part("thousands", _THOUSANDS, source, detected)
        _part("quote", _QUOTES, source, detected)
        _marks(source)
        _part("uneven", _UNEVEN, source, None)
    n_tables = detected.n_tables if detected is not None else 1
    if n_tables > 1 or (source.options is not None and source.options.table is not None):
        tables_below = {i: f"Number {i}" for i in range(1, n_tables + 1)}
        _part("table", tables_below, source, None)
    _as_text(source)
    _missing_in(source)
    if source.options is not None:
        st.button(
            "Back to what was detected",
            key="data.read.detect",
            on_click=_revise,
            args=(source, vars(io.ReadOptions())),
            help="Forget all choices made here.",
        )


def _part(
    word: str, names: dict[Any, str], source: Source, detected: DetectedOptions | None
) -> None:
    """Offer one import option: as detected, or another value."""
    key = f"data.read.{word}"
    chosen = getattr(source.options, word) if source.options is not None else None
    names = {DETECT: _detected(word, names, detected, chosen), **names}
    if chosen is not None and chosen not in names:
        names[chosen] = str(chosen)
    # Always the value in use: a refused choice must not stay on the screen.
    st.session_state[key] = DETECT if chosen is None else chosen
    st.selectbox(
        _FIELDS[word].label,
        list(names),
        key=key,
        format_func=lambda value: names.get(value, str(value)),
        help=_FIELDS[word].help,
        accept_new_options=word in ("separator", "encoding", "comment"),
        on_change=lambda: _revise(source, {word: _asked(key, names)}),
    )


def _detected(
    word: str, names: dict[Any, str], detected: DetectedOptions | None, chosen: Any
) -> str:
    if detected is None or chosen is not None:
        return AS_DETECTED
    value: Any = detected.header_line or False if word == "header" else getattr(detected, word)
    shown = names.get(value, io.SEPARATOR_NAMES.get(value, str(value)))
    return f"{AS_DETECTED}: {shown[0].lower() + shown[1:] if shown[1:2].islower() else shown}"


def _asked(key: str, names: dict[Any, str]) -> Any:
    value = st.session_state[key]
    # A late click may carry a label from the former list.
    if isinstance(value, str) and value.startswith(AS_DETECTED):
        return None
    meant = {words: known for known, words in names.items()}
    value = meant.get(value, value)
    return None if value == DETECT else value


def _as_text(source: Source) -> None:
    key = "data.read.text"
    st.session_state[key] = source.options is not None and source.options.as_text
    st.checkbox(
        _FIELDS["as_text"].label,
        key=key,
        help=_FIELDS["as_text"].help,
        on_change=lambda: _revise(source, {"as_text": bool(st.session_state.get(key))}),
    )


def _marks(source: Source) -> None:
    key = "data.read.marks"
    marks = source.options.missing_codes if source.options is not None else None
    st.session_state[key] = " ".join(marks or ())
    st.text_input(
        _FIELDS["missing_codes"].label,
        key=key,
        placeholder="As detected: blank, ?, -, NA …",
        help=f"{_FIELDS['missing_codes'].help} Separated by spaces.",
        on_change=lambda: _revise(
            source, {"missing_codes": tuple(st.session_state[key].split()) or None}
        ),
    )


def _missing_in(source: Source) -> None:
    if source.table is None:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        column = st.selectbox(
            _FIELDS["missing_in"].label,
            [str(name) for name in source.table.frame.columns],
            key="data.read.column",
            index=None,
            placeholder="Column",
            help=_FIELDS["missing_in"].help,
            width=220,
        )
        value = st.text_input(
            "Value", key="data.read.value", label_visibility="collapsed", placeholder="0", width=90
        )
        if st.button("Read as missing", key="data.read.missing", disabled=column is None):
            _try(lambda: source.with_missing(str(column), (_number(value),)))
            st.rerun()


def _number(value: str) -> str | float:
    try:
        return float(value or 0)
    except ValueError:
        return value


def _revise(source: Source, changes: dict[str, Any]) -> None:
    _try(lambda: source.with_reading(**changes))


def _try(change: Callable[[], Source]) -> None:
    """Apply a change, or report that it is invalid."""
    try:
        changed = change()
    except DataError as error:
        commands.refuse_change(error)
    else:
        commands.revise(changed)
