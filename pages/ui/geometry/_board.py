"""The board: points that are dragged in the browser, and the plot computed from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from lincore import laboratory
from lincore.errors import DataError
from pages.ui.frame import sidebar
from pages.ui.session import link, questions
from pages.ui.widgets import components, controls, text

if TYPE_CHECKING:
    from lincore.laboratory import Board, Point

KEY, _SENT = "geometry.board", "geometry.sent"
_KEYS = "Arrow keys move the selection, Page Up and Page Down select another"
_LABELS = {
    True: f"Rows of two classes. {_KEYS} row, Enter adds one, Delete removes it, 1 and 2 set its "
    "class.",
    False: f"Means of two classes and the handles of their covariance. {_KEYS} one.",
}


@sidebar.fragment
def show(
    board: Board, preset_key: tuple[str, str], token: str, *, result: str, presenter: bool
) -> None:
    """Draw the board and the plot, as a fragment that reruns when a point moves."""
    turn, points = _points(board, preset_key, token)
    lines: tuple[dict[str, Any], ...] = ()
    try:
        sentence, lines, judged = board.reply(points)
        sentence = judged if result and judged else sentence
        shown = laboratory.demonstrate(*preset_key, points=points)
        figure = shown.figure_at(range(len(shown.frames))[shown.stop])
        controls.note_figure(figure, key=f"{KEY}.figure")
        controls.show_title(figure, key=f"{KEY}.figure", result=result)
    except DataError as error:
        sentence = str(error)
    with st.container(key="geometry.reply"):
        st.markdown(text.escape(sentence))
    component = components.component(Path(__file__).with_name("board"))(
        key=KEY,
        data={
            "token": token,
            "turn": turn,
            "points": points,
            "lines": lines,
            "label": _LABELS[not board.names],
            "judged": bool(result),
            "presenter": presenter,
            **board.settings(),
        },
        on_points_change=lambda: None,
        on_settled_change=lambda: None,
    )
    if component.settled:
        link.run_again()  # the link contains these points


def _points(board: Board, preset_key: tuple[str, str], token: str) -> tuple[int, tuple[Point, ...]]:
    """Return the number of the last change, and the points after it."""
    sent = getattr(st.session_state.get(KEY), "points", None)
    if isinstance(sent, Mapping) and sent.get("token") == token and _are_points(sent.get("points")):
        points = tuple((x, y, code) for x, y, code in sent["points"])
        st.session_state[_SENT] = token, sent.get("turn", 0)
        questions.choose_for_preset(preset_key, points=points)
    former, turn = st.session_state.get(_SENT, (token, 0))
    points = questions.preset_choice(preset_key, "points")
    if not points or (board.names and len(points) != len(board.names)):
        points = board.start()
    return turn if former == token else 0, points


def _are_points(points: Any) -> bool:
    """Validate points from a browser: two numbers and a class each."""
    return isinstance(points, list | tuple) and all(
        isinstance(point, list | tuple)
        and len(point) == 3
        and all(type(value) in (int, float) for value in point)
        and type(point[2]) is int
        for point in points[: laboratory.MOST_POINTS + 1]
    )
