"""The player: frames of an experiment, played, stepped and announced by the browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from pages.ui.widgets import components

if TYPE_CHECKING:
    from lincore.laboratory import Demonstration

KEY = "geometry.player"


def show(
    shown: Demonstration,
    *,
    place: tuple[str, ...],
    turn: int,
    varied: str,
    play: bool,
    presenter: bool,
    on_end: Callable[[], None],
) -> int | None:
    """Draw the player; return the frame that the server must draw if the browser cannot."""
    token = f"{'/'.join(place)}/{turn}"
    stop = range(len(shown.frames))[shown.stop]
    found = components.component(Path(__file__).with_name("player"))(
        key=KEY,
        data={
            "chart": ".st-key-geometry-figure",
            "token": token,
            "varied": varied,
            "play": play,
            "presenter": presenter,
            "stop": stop,
            "moving": shown.moving,
            "narrow": shown.figure.layout.meta["narrow"],
            "frames": _frames(place, shown),
        },
        on_frame_change=lambda: None,
        on_ended_change=on_end,
    )
    asked = getattr(found, "frame", None)
    at = asked.get("at") if asked and asked.get("token") == token else None
    return at if type(at) is int and 0 <= at < len(shown.frames) else None


@st.cache_resource(max_entries=64, show_spinner=False)
def _frames(place: tuple[str, ...], _shown: Demonstration) -> list[dict[str, Any]]:
    """Return the frames as JSON, without unchanged parts."""
    found, former = [], ()
    for frame in _shown.frames:
        places = frame.coordinates()
        moved = [
            None if i < len(former) and former[i] is frame.places[i] else each
            for i, each in enumerate(places)
        ]
        found.append({"label": frame.label, "sentence": frame.sentence, "places": moved})
        former = frame.places
    return found
