"""The board: rows that are dragged in the browser, and the lines that are fitted to them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import laboratory
from lincore.errors import DataError
from pages.ui.session import commands, sidebar
from pages.ui.session.questions import BOARD
from pages.ui.widgets import components, controls, text

if TYPE_CHECKING:
    from lincore.data import Dataset

KEY = "geometry.board"


@sidebar.fragment
def show(start: Dataset, token: str) -> None:
    """Draw the board and the lines, which alone are drawn again when a row moves.

    Parameters
    ----------
    start : Dataset
        Rows at first.
    token : str
        Another one begins anew.
    """
    turn, rows = _rows(start, token)
    lines: list[dict[str, Any]] = []
    try:
        data = laboratory.moved_rows(start, [value for row in rows for value in row])
        fitted = laboratory.fitted_lines(data.X, data.codes)
        sentence = laboratory.lines_sentence(fitted, len(rows))
        lines = [one.record() for one in fitted]
        figure = laboratory.lines_figure(data, fitted, [one.ends for one in fitted])
        controls.note_figure(figure, key=f"{KEY}.figure")
        controls.show_title(figure, key=f"{KEY}.figure")
    except DataError as error:
        sentence = str(error)
    with st.container(key="geometry.lines"):
        st.markdown(text.escape(sentence))
    components.component(Path(__file__).with_name("board"))(
        key=KEY,
        data={
            "token": token,
            "turn": turn,
            "rows": rows,
            "lines": lines,
            "colours": laboratory.CLASS_COLOURS,
            "reach": laboratory.REACH,
            "most": laboratory.MOST_ROWS,
        },
        on_rows_change=lambda: None,
    )


def use(place: tuple[str, str]) -> None:
    """Make the rows of the board the data set."""
    rows = st.session_state[BOARD][2]
    commands.use_experiment(*place, [value for row in rows for value in row])


def is_changed() -> bool:
    """Return whether rows were moved, added or deleted."""
    return bool(st.session_state.get(BOARD, ("", 0))[1])


def _rows(start: Dataset, token: str) -> tuple[int, list[list[float]]]:
    """Return the number of the last change, and the rows as they are then."""
    sent = getattr(st.session_state.get(KEY), "rows", None)
    former = st.session_state.get(BOARD)
    if former is None or former[0] != token:
        rows = [[*x, int(code)] for x, code in zip(start.X.tolist(), start.codes, strict=True)]
        former = (token, 0, rows)
    if isinstance(sent, Mapping) and sent.get("token") == token and _are_rows(sent.get("rows")):
        former = (token, sent.get("turn", 0), [list(row) for row in sent["rows"]])
    st.session_state[BOARD] = former
    return former[1], former[2]


def _are_rows(found: Any) -> bool:
    """Tell whether what a browser sent is a list of two numbers and a class each."""
    return isinstance(found, list | tuple) and all(
        isinstance(row, list | tuple)
        and len(row) == 3
        and all(isinstance(value, (int, float)) for value in row)
        for row in found[: laboratory.MOST_ROWS + 1]
    )
