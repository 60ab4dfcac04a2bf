"""Displays on pages: widgets for the settings of one, and the drawing of all that it says.

The session holds settings as one plain dictionary for each display, whatever widgets are on the
screen; a link is written from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd
import streamlit as st

from lincore import fields
from lincore.displays import number_form
from pages.ui.widgets import controls, image_sheets, selection, tables, text

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from streamlit.delta_generator import DeltaGenerator

    from lincore.data import Dataset
    from lincore.displays import Display
    from lincore.fields import FieldOption

#: Before the key of a display: the key of its settings in the session.
SETTINGS = "settings."
#: The displays of this run of a page, in the order in which they were shown.
SHOWN = "shared.displays"
# Pixels of a column, within bounds; of one of its characters.
_NARROWEST, _WIDEST, _CHARACTER = 55, 260, 7
# Of more choices some are taken from a list.
_MOST_PILLS = 12


def ask(
    record_type: type,
    key: str,
    *names: str,
    width: int | None = None,
    draw: bool = True,
    at: Mapping[str, DeltaGenerator] | None = None,
    **context: Any,
) -> dict[str, Any]:
    """Draw a widget for each option, or for some of them; return the settings that hold now.

    Without `draw` these are the settings that widgets elsewhere were given.
    A value that is no longer offered is as if it had not been chosen. `context` is what the rules
    of the options read: what the display shows, and settings that were asked for before. `at` says
    where the widgets of some options are.
    """
    so_far, chosen = SimpleNamespace(**context), {}
    for option in fields.options(record_type):
        if option.name in context or (names and option.name not in names):
            continue
        is_asked, value = _decide(option, key, so_far)
        is_drawn = draw and is_asked
        if is_drawn and (option.choices(so_far) is None or len(option.choices(so_far) or ()) > 0):
            with (at or {}).get(option.name, nullcontext()):
                _widget(option, key, so_far, width)
        chosen[option.name] = value
    return chosen


def read(record_type: type, key: str, **context: Any) -> dict[str, Any]:
    """Return the settings that hold now, resolved, without drawing anything."""
    so_far = SimpleNamespace(**context)
    names = [option.name for option in fields.options(record_type) if option.name not in context]
    for option in fields.options(record_type):
        if option.name not in context:
            _decide(option, key, so_far)
    return {name: getattr(so_far, name) for name in names}


def _decide(option: FieldOption, key: str, so_far: SimpleNamespace) -> tuple[bool, Any]:
    """Note the value of an option; return whether it is asked for, and what was chosen."""
    rules, value, default = option.field, settings(key).get(option.name), option.default
    is_asked = rules.when is None or rules.when(so_far)
    if not is_asked or value is None or not option.fits(value, so_far):
        value = None if rules.auto else default
    setattr(so_far, option.name, option.resolved(value, so_far))
    return is_asked, value


def settings(key: str) -> dict[str, Any]:
    """Return the settings of a display that differ from the defaults."""
    return dict(st.session_state.get(f"{SETTINGS}{key}", {}))


def set_settings(key: str, **values: Any) -> None:
    """Choose settings of a display as if by its widgets; None returns to the default."""
    held = settings(key) | values
    st.session_state[f"{SETTINGS}{key}"] = {k: v for k, v in held.items() if v is not None}


def _widget(option: FieldOption, key: str, so_far: SimpleNamespace, width: int | None) -> None:
    """Draw the widget of one option; its value goes into the settings when it is changed."""
    value, choices, field = getattr(so_far, option.name), option.choices(so_far), option.field
    unit, factor = field.unit(so_far) if field.unit else ("", 1)

    def keep(new: Any) -> None:
        if option.is_list:
            new = tuple(one for one in choices or () if one in new)
        elif factor != 1:
            new = new / factor
        if not option.fits(new, so_far):  # typed, such as a number of folds
            wanted = f" Give {field.wanted}." if field.wanted else ""
            said = f"{field.label}: {new} is not possible.{wanted}"
            st.toast(text.escape(said), icon=":material/error:")
            return
        first = field.auto(so_far) if field.auto else option.default
        set_settings(key, **{option.name: None if new == first else new})

    shown = list(value) if option.is_list else value if factor == 1 else round(value * factor, 9)
    name = f"{key}.{option.name}" + (f".{unit}" if unit.isalpha() else "")
    common: dict[str, Any] = controls.edits(name, shown, keep)
    common |= {
        "label": field.label + (f" ({unit})" if unit else ""),
        "help": field.help,
    }
    common |= {"width": width} if width else {}
    if isinstance(choices, range):
        draw = st.slider if field.slide else st.number_input
        if len(choices) > 1:
            draw(min_value=choices[0], max_value=choices[-1], **common)
    elif choices is not None:
        naming = choices if isinstance(choices, dict) else {one: str(one) for one in choices}
        own = [] if option.is_list or value in naming else [value]
        common |= {"options": [*naming, *own], "format_func": lambda one: naming.get(one, one)}
        if option.is_list and len(naming) > _MOST_PILLS:
            st.multiselect(**common)
        elif option.is_list:
            st.pills(selection_mode="multi", wrap=True, **common)
        else:
            st.selectbox(accept_new_options=field.pattern is not None, **common)
    elif option.type is bool:
        st.toggle(**common)
    elif option.type is str:
        st.text_input(**common)
    else:
        bounds = (field.low, field.high, field.step)
        of = [None if end is None else option.type(end * factor) for end in bounds]
        low, high, step = of
        # Without a step, a number of any size.
        form = "%.6g" if step is None and option.type is float else None
        st.number_input(min_value=low, max_value=high, step=step, format=form, **common)


class DisplayParts(NamedTuple):
    """All that a display says, computed once."""

    finding: str
    scope: str
    figure: go.Figure | None
    table: pd.DataFrame
    notes: tuple[str, ...]


@st.cache_resource(max_entries=64, ttl="2h", show_spinner="Computing …")
def _parts(identity: str, _display: Display) -> DisplayParts:
    return DisplayParts(
        _display.finding(),
        _display.scope(),
        _display.plot(),
        _display.table(),
        _display.notes(),
    )


def parts(display: Display) -> DisplayParts:
    """Return all that a display says, from the cache if it was asked for before."""
    found: DisplayParts = _parts(display.key, display)
    return found


def begin_displays() -> dict[str, Display]:
    """Begin to note the displays of a page, and return where they will be, by their keys."""
    noted: dict[str, Display] = {}
    st.session_state[SHOWN] = noted
    return noted


def show(display: Display, *, key: str, data: Dataset | None = None) -> None:
    """Draw a display: finding, scope, figure, images, table, notes."""
    said = parts(display)
    title = "" if said.figure is None else said.figure.layout.meta["title"]
    if said.finding != title:
        st.markdown(f"**{text.escape(said.finding)}**")
    if said.scope:
        st.caption(text.escape(said.scope))
    body(display, key=key, data=data)


def body(display: Display, *, key: str, data: Dataset | None = None) -> None:
    """Draw figure, images, table and notes, where finding and scope stand elsewhere."""
    figure(display, key=key)
    details(display, key=key, data=data)


def figure(display: Display, *, key: str) -> None:
    """Draw the figure alone, where the rest stands elsewhere."""
    note(display, key=key)
    if (drawn := parts(display).figure) is not None:
        draw = image_sheets.show if "sheet" in drawn.layout.meta else controls.figure
        draw(drawn, key=f"{key}.figure")


def details(display: Display, *, key: str, data: Dataset | None = None) -> None:
    """Draw images, table and notes, where the rest stands elsewhere."""
    note(display, key=key)
    said = parts(display)
    images = display.images()
    if images is not None and data is not None:
        rows, captions = images
        selection.show_rows(data, rows, key=f"{key}.images", captions=captions, title=display.title)
    elif not said.table.empty:
        _table(f"{display.key} {key}", key, said.table, display)
        st.download_button(
            "Numbers (CSV)",
            lambda: tables.safe(display.frame()).to_csv(index=False).encode(),
            file_name=f"{display.title}.csv",
            mime="text/csv",
            key=f"{key}.csv",
            on_click="ignore",
            type="tertiary",
            icon=":material/download:",
            help="All numbers of this view, in full precision.",
        )
    for sentence in said.notes:
        st.caption(text.escape(sentence))


def note(display: Display, *, key: str = "") -> None:
    """Note a display for script and report, instead of the former one of the same key."""
    if SHOWN in st.session_state:
        st.session_state[SHOWN][key or display.key] = display


# Streamlit sends again what a cached function sent, without writing the table anew.
@st.cache_resource(max_entries=64, ttl="2h", show_spinner=False)
def _table(identity: str, key: str, _frame: pd.DataFrame, _display: Display) -> None:
    first, helps = str(_frame.columns[0]), dict(_display.table_help())
    with st.container(key=f"{key}.table"):
        tables.show(
            _frame,
            hide_index=True,
            placeholder="",
            alt=f"{_display.title}: {len(_frame)} rows.",
            column_config={
                str(name): _column(
                    str(name), _frame[name], helps, pinned=str(name) == first, form=_display.form
                )
                for name in _frame.columns
            },
        )


def _column(name: str, values: pd.Series, helps: dict[str, str], *, pinned: bool, form: str) -> Any:
    """Return the configuration of a column: as wide as what it holds, its decimals all alike."""
    common: dict[str, Any] = {"help": helps.get(name), "pinned": pinned}
    if pd.api.types.is_float_dtype(values.dtype):
        form = form or number_form(values)
        return st.column_config.NumberColumn(format=f"%{form}", **common)
    if pd.api.types.is_numeric_dtype(values.dtype):
        return st.column_config.NumberColumn(**common)
    longest = max(map(len, (name, *map(str, values))))
    width = min(max(_NARROWEST, 14 + _CHARACTER * longest), _WIDEST)
    return st.column_config.TextColumn(width=width, **common)
