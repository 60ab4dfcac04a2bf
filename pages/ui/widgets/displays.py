"""Displays on pages: widgets for their settings, and the drawing of their parts.

The session holds one plain dictionary of settings for each display, independent of the widgets on
the screen; links are written from them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from contextlib import nullcontext
from math import inf
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import pandas as pd
import streamlit as st

from lincore import fields
from lincore.displays import RowsDisplay, number_forms
from lincore.plots.base import shorten_all
from lincore.utils import capital
from pages.ui.server.shared_cache import Shared
from pages.ui.widgets import controls, tables, text

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from streamlit.delta_generator import DeltaGenerator

    from lincore.data import Dataset
    from lincore.displays import Display
    from lincore.fields import FieldOption

#: Prefix of the key of the settings of a display in the session.
SETTINGS = "settings."
# Pixels: narrowest and widest column, widest with two-line rows, and width of a character.
_NARROWEST, _WIDEST, _WIDEST_HIGH, _CHARACTER = 55, 260, 400, 6.5
# Characters of a number with its sign.
_NUMBER_LENGTH = 8
# The height of a row of two lines, in pixels: Streamlit breaks lines in rows of more than 64.
_TWO_LINES = 66
# Width of a page in a window of 1440 pixels: wider tables get two-line rows.
_ROOM = 1000
# Maximum number of rows of one line and of two lines that are shown without scrolling.
_MOST_LOW, _MOST_HIGH = 16, 12
# A number and its interval, which may be moved to a second line.
_WITH_INTERVAL = re.compile(r"^([−\d]\S*) (\(.+\))$")
NO_BREAK = "\u00a0"
# Longer names are shortened in the middle, to one line: names often differ only at their ends.
_LONGEST_NAME, _SHORT_NAME = 60, 38
_SHORTENED = "Long names are shortened; “Numbers (CSV)” has them whole."
#: Represents None as a choice: in widgets and settings None means "nothing chosen".
NOTHING = "nothing"
# The choice that opens a number input.
_NUMBER = "a number"
# The names that browsers show for the values of widgets.
_NAMES = "shared.names"
# An option that accepts names of this length is the name of a column.
_LONGEST_COLUMN = 2_000
# More choices than this are a multiselect instead of pills.
_MOST_PILLS = 12


def ask(
    record_type: type,
    key: str,
    *names: str,
    width: int | None = None,
    draw: bool | None = True,
    at: Mapping[str, DeltaGenerator] | None = None,
    **context: Any,
) -> dict[str, Any]:
    """Draw widgets for some or all options of a record; return the current settings.

    Stored values that are no longer offered are ignored. `context` is the input of the rules of the
    options: the subject of the display, and settings chosen before. `at` gives containers for some
    of the widgets; without `draw` only these are drawn (the others are in a closed popover).
    """
    so_far, chosen, held, places = SimpleNamespace(**context), {}, settings(key), at or {}
    for option in fields.options(record_type):
        if option.name in context or (names and option.name not in names):
            continue
        is_asked, value = _resolve(option, held.get(option.settings_key(so_far)), so_far)
        is_drawn = is_asked and (draw or option.name in places)
        if is_drawn and (option.choices(so_far) is None or len(option.choices(so_far) or ()) > 0):
            with places.get(option.name, nullcontext()):
                _widget(option, key, so_far, width)
        chosen[option.name] = value
    return chosen


def read(record_type: type, key: str, **context: Any) -> dict[str, Any]:
    """Return the current settings, resolved, without drawing widgets."""
    so_far, held = SimpleNamespace(**context), settings(key)
    asked = [option for option in fields.options(record_type) if option.name not in context]
    for option in asked:
        _resolve(option, held.get(option.settings_key(so_far)), so_far)
    return {option.name: getattr(so_far, option.name) for option in asked}


def choose(record: Any, key: str, **context: Any) -> None:
    """Choose the options of a record as if by widgets; impossible values become the default."""
    so_far, chosen = SimpleNamespace(**context), {}
    for option in fields.options(type(record)):
        if option.name in context:
            continue
        default = option.resolved(None if option.field.auto else option.default, so_far)
        value = getattr(record, option.name)
        is_value = value is not None or None in (option.choices(so_far) or ())
        is_other = value != default or (value is not None and option.default is None)
        is_chosen = is_value and is_other and option.fits(value, so_far)
        chosen[option.settings_key(so_far)] = _stored_form(value) if is_chosen else None
        setattr(so_far, option.name, value if is_chosen else default)
    set_settings(key, **chosen)


def _resolve(option: FieldOption, value: Any, so_far: SimpleNamespace) -> tuple[bool, Any]:
    """Resolve an option; return whether it is asked for, and the chosen value."""
    rules, default = option.field, option.default
    is_asked = rules.when is None or rules.when(so_far)
    if is_asked and value == NOTHING and None in (option.choices(so_far) or ()):
        setattr(so_far, option.name, None)
        return is_asked, None
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


def has_settings(key: str) -> bool:
    """Return whether the session holds settings with this key."""
    return f"{SETTINGS}{key}" in st.session_state


def every_setting(held: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return all settings in a copy of the session state, by their key."""
    return {
        key.removeprefix(SETTINGS): chosen
        for key, chosen in held.items()
        if str(key).startswith(SETTINGS)
    }


def forget_settings(*but: str) -> None:
    """Forget all settings except those with some prefixes of keys."""
    for key in every_setting(st.session_state.to_dict()):
        if not key.startswith(but):
            del st.session_state[f"{SETTINGS}{key}"]


def _widget(option: FieldOption, key: str, so_far: SimpleNamespace, width: int | None) -> None:
    """Draw the widget of one option, which changes the settings."""
    value, choices, field = getattr(so_far, option.name), option.choices(so_far), option.field
    unit, factor = field.unit(so_far) if field.unit else ("", 1)

    def keep(new: Any) -> None:
        if option.is_list:
            new = tuple(choice for choice in choices or () if choice in new)
        elif new == NOTHING and None in (choices or ()):
            new = None
        elif option.type is str and choices is None:
            new = new.strip() or option.default
        elif factor != 1:
            new = new / factor
        if not option.fits(new, so_far):  # typed by the visitor, such as a number of folds
            wanted = f" Give {field.wanted}." if field.wanted else ""
            problem = f"{field.label}: {new} is not possible.{wanted}"
            st.toast(text.escape(problem))
            return
        hold(new)

    def hold(new: Any) -> None:
        default = field.auto(so_far) if field.auto else option.default
        stored = None if new == default else _stored_form(new)
        set_settings(key, **{option.settings_key(so_far): stored})

    def keep_kind(new: Any) -> None:
        kind = fields.choice_of(value)
        if kind in option.records:  # it comes back when this kind is chosen again
            set_settings(key, **{f"{option.name}.{kind}": value})
        former = settings(key).get(f"{option.name}.{new}")
        if former is None and new in (_NUMBER, *option.records):
            former = field.start(so_far) if callable(field.start) else field.start
            former = option.records[new]() if former is None else former
        keep(new if former is None else former)

    label, help = field.label, field.help
    if field.wording is not None:
        label, help = map(text.escape, field.wording(so_far))
    name = f"{key}.{option.name}" + (f".{unit}" if unit.isalpha() else "")
    label += f" ({unit})" if unit else ""
    common: dict[str, Any] = {"help": help} | ({"width": width} if width else {})
    if option.records and choices is not None:
        kind = controls.edits(name, _stored_form(fields.choice_of(value)), keep_kind)
        _choice(option, _choice_names(choices), label=label, **kind, **common)
        return
    if field.start is not None and choices is not None:
        # A choice, or a number instead.
        is_number, naming = value not in choices, {**_choice_names(choices), _NUMBER: _NUMBER}
        kind = controls.edits(
            f"{name}.kind", _NUMBER if is_number else _stored_form(value), keep_kind
        )
        _choice(option, naming, label=label, **kind, **common)
        if is_number:
            edits = controls.edits(name, option.type(value), keep)
            _number(option, so_far, factor, label=f"{label}: number", **edits, **common)
        return
    shown = list(value) if option.is_list else value
    if factor != 1:
        shown = round(value * factor, 9)
    elif choices is not None:
        shown = _stored_form(shown)
    common |= {"label": label, **controls.edits(name, shown, keep)}
    if isinstance(choices, range):
        draw = st.slider if field.slide else st.number_input
        if len(choices) > 1:
            draw(min_value=choices[0], max_value=choices[-1], **common)
    elif choices is not None:
        naming = _choice_names(choices)
        if not option.is_list:
            naming |= {shown: str(naming.get(shown, shown))}
        _choice(option, naming, **common)
    elif option.type is bool:
        st.toggle(**common)
    elif option.type is str:
        st.text_input(**common)
    else:
        _number(option, so_far, factor, **common)
    if field.marks is not None:
        controls.marks(name, field.marks(so_far), hold)


def _stored_form(value: Any) -> Any:
    """Return the representation of a value in settings and widgets: `NOTHING` for None."""
    return NOTHING if value is None else value


def _choice_names(choices: Collection[Any]) -> dict[Any, str]:
    """Return the choices with their names, as for widgets."""
    if not isinstance(choices, Mapping):
        choices = {choice: str(choice) for choice in choices}
    return {_stored_form(choice): name for choice, name in choices.items()}


def _choice(option: FieldOption, naming: dict[Any, str], **common: Any) -> None:
    field = option.field
    naming = {choice: naming[choice] for choice in sorted(naming)} if field.slide else naming
    choices = list(naming)
    _send_again(common["key"], naming)
    # Classes and features are chosen by position, columns by names of any length.
    if option.type is int or (field.longest or 0) >= _LONGEST_COLUMN:
        common |= controls.named(choices, naming.values(), common.get("width"))
    else:
        common |= {
            "options": choices,
            "format_func": lambda choice: naming.get(choice, str(choice)),
        }
    if option.is_list and len(naming) > _MOST_PILLS:
        st.multiselect(**common)
    elif option.is_list:
        st.pills(selection_mode="multi", wrap=True, **common)
    elif field.row:
        st.segmented_control(required=True, wrap=True, **common)
    elif field.slide:
        st.select_slider(**common)
    else:
        st.selectbox(accept_new_options=field.pattern is not None, **common)


def _send_again(key: str, naming: Mapping[Any, str]) -> None:
    """Send the value of a widget to the browser if it has another name than before.

    Browsers know options by their names: they would go on showing the former one.
    """
    value, names = st.session_state.get(key), st.session_state.setdefault(_NAMES, {})
    if isinstance(value, list):
        return
    name = naming.get(value)
    if names.get(key, name) != name:
        st.session_state[key] = value
    names[key] = name


def _number(option: FieldOption, so_far: SimpleNamespace, factor: float, **common: Any) -> None:
    field = option.field
    low, high = field.low, field.most(so_far) if field.most else field.high
    low = low + 1e-12 if low is not None and field.above else low
    high = None if high == inf else high
    limits = [None if end is None else option.type(end * factor) for end in (low, high, field.step)]
    # Of any magnitude, without idle zeros.
    form = "%.6g" if option.type is float else None
    draw = st.slider if field.slide else st.number_input
    draw(min_value=limits[0], max_value=limits[1], step=limits[2], format=form, **common)


class DisplayParts(NamedTuple):
    """The parts of a display, except its table, computed once."""

    finding: str
    scope: str
    figure: go.Figure | None
    notes: tuple[str, ...]


#: The parts of the displays of all visitors; a page asks for them several times in a run.
CACHED = Shared(40_000_000)


def parts(display: Display) -> DisplayParts:
    """Return the parts of a display, from the cache if possible."""

    def compute() -> DisplayParts:
        with st.spinner("Computing …"):
            figure = display.plotted()
            return DisplayParts(display.finding(), display.scope(), figure, display.notes())

    return cast("DisplayParts", CACHED.get_or_make(display.key, compute))


def table(display: Display) -> pd.DataFrame:
    """Return the table of a display, from the cache if possible."""
    return cast("pd.DataFrame", CACHED.get_or_make((display.key, "table"), display.table))


def chosen(kind: type[Display], *, width: int = 275, **known: Any) -> Any:
    """Ask in a row for the settings of a display that are not known; return the display."""
    asked: dict[str, Any] = {}
    if any(option.name not in known for option in fields.options(kind)):
        row = st.container(
            horizontal=True, vertical_alignment="bottom", key=f"{kind.page_key}.settings"
        )
        with row:
            asked = ask(kind, kind.page_key, width=width, **known)
    return kind(**known, **asked)


def show(display: Display, *, key: str, data: Dataset | None = None) -> None:
    """Draw a display: finding, scope, figure, images, table, notes."""
    content = parts(display)
    title = "" if content.figure is None else content.figure.layout.meta["title"]
    if content.finding != title:
        st.markdown(f"**{text.escape(content.finding)}**")
    if content.scope:
        st.caption(text.escape(content.scope))
    body(display, key=key, data=data)


def body(display: Display, *, key: str, data: Dataset | None = None) -> None:
    """Draw figure, images, table and notes, without finding and scope."""
    figure(display, key=key)
    details(display, key=key, data=data)


def figure(display: Display, *, key: str) -> None:
    """Draw only the figure."""
    note(display, key=key)
    if (drawn := parts(display).figure) is not None:
        controls.figure(drawn, key=f"{key}.figure")


def details(display: Display, *, key: str, data: Dataset | None = None) -> None:
    """Draw only images, table and notes."""
    note(display, key=key)
    content = parts(display)
    images = display.images()
    if images is not None and data is not None:
        rows, captions = images
        sheet = parts(RowsDisplay(data, tuple(rows.tolist()), tuple(captions), display.title))
        if sheet.figure is not None:
            controls.figure(sheet.figure, key=f"{key}.images")
        st.caption(sheet.finding)
    elif not (frame := table(display)).empty:
        _table(identity=display.key, key=key, _frame=frame, _display=display)
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
    if content.notes:
        st.caption("\n\n".join(map(text.escape, content.notes)))


def metrics(display: Display) -> None:
    """Draw the rows of a short table as metrics: name, value, interval and meaning."""
    _metrics(identity=display.key, _display=display)


@st.cache_resource(max_entries=64, ttl="2h", show_spinner=False)
def _metrics(identity: str, _display: Display) -> None:
    row = st.container(horizontal=True)
    for name, value, interval, meaning in _display.table().itertuples(index=False):
        row.metric(
            text.escape(capital(name)),
            value,
            delta=interval or None,
            delta_color="off",
            delta_arrow="off",
            help=text.escape(meaning),
            width="content",
        )
    if notes := _display.notes():
        st.caption("\n\n".join(map(text.escape, notes)))


def note(display: Display, *, key: str = "") -> None:
    """Note a display for script and report, replacing the former one with the same key."""
    controls.note_display(display, key=key or display.key)


# Streamlit replays the messages of a cached function without serialising the table again.
@st.cache_resource(max_entries=64, ttl="2h", show_spinner=False)
def _table(identity: str, key: str, _frame: pd.DataFrame, _display: Display) -> None:
    first, helps = str(_frame.columns[0]), dict(_display.table_help())
    for name in map(str, _frame.columns):
        is_of_classes = name.startswith(("class", "predicted", "true")) or name.endswith("predicts")
        if name == first or is_of_classes:
            values = list(map(str, _frame[name]))
            if max(map(len, values), default=0) > _LONGEST_NAME:
                _frame = _frame.assign(**{name: shorten_all(values, _SHORT_NAME)})
                helps[name] = f"{helps[name]} {_SHORTENED}" if name in helps else _SHORTENED
    lengths = {str(name): _length(_frame[name]) for name in _frame.columns}
    width = sum(14 + _CHARACTER * max(len(name), length) for name, length in lengths.items())
    is_high = max(lengths.values()) * _CHARACTER > _WIDEST or (
        width > _ROOM and any(_WITH_INTERVAL.search(str(value)) for value in _frame.iloc[-1])
    )
    more: dict[str, Any] = {}
    forms = number_forms(_frame)
    if is_high:  # in two lines
        _frame = _frame.apply(
            lambda values: values if _are_numbers(values) else _with_breaks(values)
        )
        more["row_height"] = _TWO_LINES
    if len(_frame) <= (_MOST_HIGH if is_high else _MOST_LOW):
        more["height"] = "content"
    with st.container(key=f"{key}.table"):
        tables.show(
            _frame,
            hide_index=True,
            placeholder="",
            alt=f"{_display.title}: {len(_frame)} rows.",
            column_config={
                str(name): _column(
                    str(name),
                    _frame[name],
                    helps,
                    pinned=str(name) == first,
                    form=_display.form or forms.get(name, ""),
                    is_high=is_high,
                )
                for name in _frame.columns
            },
            **more,
        )


def _are_numbers(values: pd.Series) -> bool:
    return pd.api.types.is_numeric_dtype(values.dtype)


def _length(values: pd.Series, *, is_high: bool = False) -> int:
    """Return how many characters the longest cell of a column has, or its longer line of two."""
    if _are_numbers(values):
        return _NUMBER_LENGTH
    texts = list(map(str, values))
    if is_high:
        texts = [max(_lines(text), key=len) for text in texts]
    return max(map(len, texts), default=0)


def _lines(text: str) -> tuple[str, str]:
    """Return the two lines in which a cell has the least width."""
    words = text.split(" ")
    breaks = ((" ".join(words[:i]), " ".join(words[i:])) for i in range(1, len(words) + 1))
    return min(breaks, key=lambda lines: max(map(len, lines)))


def _with_breaks(values: pd.Series) -> pd.Series:
    """Let the intervals of numbers begin a second line: there are no other spaces to break at."""
    return values.astype(str).str.replace(
        _WITH_INTERVAL, lambda match: f"{match[1]} {match[2].replace(' ', NO_BREAK)}", regex=True
    )


def _column(
    name: str,
    values: pd.Series,
    helps: dict[str, str],
    *,
    pinned: bool,
    form: str,
    is_high: bool,
) -> Any:
    """Return the configuration of a column: width by content, uniform decimals."""
    common: dict[str, Any] = {"help": helps.get(name), "pinned": pinned}
    if pd.api.types.is_float_dtype(values.dtype):
        return st.column_config.NumberColumn(format=f"%{form}", **common)
    if _are_numbers(values):
        return st.column_config.NumberColumn(**common)
    longest = _length(values, is_high=is_high)
    width = min(max(_NARROWEST, 14 + _CHARACTER * max(len(name), longest)), _WIDEST)
    if is_high:  # short lines need more than the mean width of a character, or words would break
        width = min(max(24 + 5.8 * len(name), 28 + 5.8 * longest), _WIDEST_HIGH)
    return st.column_config.TextColumn(width=round(width), **common)
