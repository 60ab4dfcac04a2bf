"""The view as part of a specification: open tabs, selected points, settings of displays.

Invalid values are dropped: of widgets according to their types, of displays according to the bounds
of their options. Values that the data do not offer are dropped when the display is drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

import streamlit as st

from lincore import displays as views
from lincore import fields
from lincore.errors import DataError
from pages.ui.widgets import displays

if TYPE_CHECKING:
    from lincore.displays import Display

_Tab = Annotated[str, fields.AtMost(200)]
# A link with more selected points would be too long: it contains none.
_Positions = Annotated[tuple[Annotated[int, fields.Between(-1, 10**6)], ...], fields.AtMost(500)]
#: Widgets other than options of displays, with the types of their values.
WIDGETS: Mapping[str, Any] = {
    "explore.panels.images": _Tab,
    "explore.panels.table2": _Tab,
    "explore.panels.table3": _Tab,
    "classify.panels": _Tab,
    "compare.panels": _Tab,
    "balance.tabs": _Tab,
    "explore.pair.picked": _Positions,
    "explore.pca.picked": _Positions,
    "explore.fisher.picked": _Positions,
    "classify.confusion.picked": _Positions,
    "classify.whatif.features": _Positions,
}
_SCHEMA = fields.Schema({})


@cache
def _kinds() -> Mapping[str, type[Display]]:
    """Return the displays that have a place of their own on a page, by its key."""
    kinds = [getattr(views, name) for name in views.__all__]
    classes = [kind for kind in kinds if isinstance(kind, type)]
    return {kind.place: kind for kind in classes if vars(kind).get("place")}


def read(held: Mapping[str, Any], chosen: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return the view of a session, from its state and the settings in it, by their key."""
    shown = {}
    for key, kind in WIDGETS.items():
        if held.get(key):
            with suppress(DataError):  # too long
                shown[key] = _SCHEMA.decode(kind, held[key], key)
    for key in _kinds():
        shown |= {f"{key}.{name}": value for name, value in chosen.get(key, {}).items()}
    return shown


def write(view: Mapping[str, Any]) -> None:
    """Apply a view to the pages, as far as it is valid."""
    for key in WIDGETS.keys() & view.keys():
        with suppress(DataError):
            found = _SCHEMA.decode(WIDGETS[key], view[key], key)
            st.session_state[key] = list(found) if isinstance(found, tuple) else found
    for key, record in _kinds().items():
        names = [option.name for option in fields.options(record)]
        given = {name: view[f"{key}.{name}"] for name in names if f"{key}.{name}" in view}
        displays.set_settings(key, **dict.fromkeys(names))
        with suppress(DataError):  # an edited link
            displays.set_settings(key, **fields.checked(record, given))
