"""Selections in a figure, and the rows or images behind them.

Markers carry the number of their row as `customdata`, cells of a confusion matrix the codes of
their true and predicted class. Heat maps, contours and surfaces report no selection in Streamlit.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import streamlit as st

from lincore import inspection, plots
from pages.ui.widgets import controls, image_sheets, tables, text

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.data import Dataset

Mode = Literal["points", "box", "lasso"]

MOST_IMAGES = 60
SHEET_COLUMNS = 6
MOST_ROWS = 500
# At the end of the key of a figure: the key of what was chosen in it.
PICKED = ".picked"


def figure(
    fig: go.Figure,
    *,
    key: str,
    modes: Sequence[Mode] = ("points", "box", "lasso"),
    read: Callable[[Any], list[int]] | None = None,
) -> list[int]:
    """Show a figure of lincore.plots in which points can be chosen; return what was chosen.

    The session keeps that under the key with `PICKED` at its end, and a link holds it.
    """
    controls.note_figure(fig, key=key)
    with st.container(gap=None):
        controls.show_title(fig, key=key)
        st.plotly_chart(
            controls.without_title(fig),
            key=key,
            alt=fig.layout.meta["alt"],
            on_select=partial(_keep, key, read or rows),
            selection_mode=modes,
            config={"displaylogo": False},
        )
    return list(st.session_state.get(f"{key}{PICKED}", ()))


def _keep(key: str, read: Callable[[Any], list[int]]) -> None:
    st.session_state[f"{key}{PICKED}"] = read(st.session_state.get(key))


def offer_to_clear(*keys: str) -> None:
    """Offer to forget what was chosen, where no figure shows it as chosen: it came with a link."""
    held = [key for key in keys if st.session_state.get(f"{key}{PICKED}")]
    if held and not any(_points(st.session_state.get(key)) for key in held):
        st.button(
            "Clear the selection",
            key=f"{keys[0]}.clear",
            on_click=_clear,
            args=(held,),
            help="Forget the points that were chosen.",
        )


def _clear(keys: Sequence[str]) -> None:
    for key in keys:
        st.session_state[f"{key}{PICKED}"] = []


def rows(event: Any) -> list[int]:
    """Return the chosen rows, each once, in the order of the figure."""
    found = [_whole(point.get("customdata")) for point in _points(event)]
    return list(dict.fromkeys(codes[0] for codes in found if len(codes) == 1 and codes[0] >= 0))


def cell(event: Any) -> list[int]:
    """Return the codes of true and predicted class of the cell chosen last; none without one."""
    found = [_whole(point.get("customdata")) for point in _points(event)]
    cells = [codes for codes in found if len(codes) == 2]
    return cells[-1] if cells else []


def show_rows(
    data: Dataset,
    rows: Iterable[int],
    *,
    key: str,
    columns: Mapping[str, Sequence[Any]] | None = None,
    captions: Sequence[str] | None = None,
    title: str = "The chosen rows",
    config: Mapping[str, Any] | None = None,
) -> None:
    """List rows of a data set, or show the images that they are, in the order given."""
    asked = [int(row) for row in rows]
    places = [i for i, row in enumerate(asked) if 0 <= row < data.n_rows]
    kept = np.array([asked[i] for i in places], dtype=np.intp)
    noun = text.row_noun(data)
    if not len(kept):
        st.caption(f"No {noun}.")
        return
    most = MOST_IMAGES if data.kind.is_images else MOST_ROWS
    shown = places[:most]
    if data.kind.is_images:
        names = None if captions is None else [captions[i] for i in shown]
        _images(data, kept[:most], names, key=key, title=title)
    else:
        more = {name: [values[i] for i in shown] for name, values in (columns or {}).items()}
        _table(data, kept[:most], more, key=key, title=title, config=config)
    rest = len(kept) - len(shown)
    st.caption(
        f"{len(kept):,} {noun if len(kept) > 1 else noun.removesuffix('s')}"
        + (f"; the first {len(shown):,} are shown, {rest:,} more are not." if rest else ".")
    )


def _images(
    data: Dataset, rows: np.ndarray, captions: Sequence[str] | None, *, key: str, title: str
) -> None:
    titles = captions or [str(data.classes[code]) for code in data.codes[rows]]
    stack = data.X[rows].reshape(-1, *data.image_shape)
    sheet = plots.images(stack, titles, columns=SHEET_COLUMNS, title=title)
    image_sheets.show(sheet, key=key)


def _table(
    data: Dataset,
    rows: np.ndarray,
    columns: Mapping[str, Sequence[Any]],
    *,
    key: str,
    title: str,
    config: Mapping[str, Any] | None,
) -> None:
    with st.container(key=key):
        tables.show(
            inspection.row_table(data, rows, columns),
            hide_index=True,
            height=min(38 + 35 * len(rows), 320),
            column_config=dict(config or {}),
            alt=f"{title}: {len(rows)} rows with their classes.",
        )


def _points(event: Any) -> list[Mapping[str, Any]]:
    try:
        points = event["selection"]["points"]
    except (TypeError, KeyError):
        return []
    return [point for point in points or [] if isinstance(point, Mapping)]


def _whole(value: Any) -> list[int]:
    """Return customdata as whole numbers; nothing for a line or an ellipse, which has none.

    A typed array of two dimensions comes out of the browser as an object of positions.
    """
    if isinstance(value, Mapping):
        value = [value[name] for name in sorted(value, key=str)]
    if not isinstance(value, list | tuple):
        value = [value]
    if not all(isinstance(one, numbers.Real) and float(one).is_integer() for one in value):
        return []
    return [int(one) for one in value]
