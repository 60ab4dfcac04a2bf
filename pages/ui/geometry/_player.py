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
    identity: tuple[str, ...],
    turn: int,
    play: bool,
    presenter: bool,
    on_end: Callable[[], None],
) -> int | None:
    """Draw the player; return the frame that the server must draw if the browser cannot."""
    token = f"{'/'.join(identity)}/{turn}"
    stop = range(len(shown.frames))[shown.stop]
    component = components.component(Path(__file__).with_name("player"))(
        key=KEY,
        data={
            "chart": ".st-key-geometry-figure",
            "token": token,
            "play": play,
            "presenter": presenter,
            "stop": stop,
            "moving": shown.moving,
            "narrow": shown.figure.layout.meta["narrow"],
            "frames": _frames(identity, shown),
        },
        on_frame_change=lambda: None,
        on_ended_change=on_end,
    )
    request = getattr(component, "frame", None)
    position = request.get("at") if request and request.get("token") == token else None
    return position if type(position) is int and 0 <= position < len(shown.frames) else None


@st.cache_resource(max_entries=64, show_spinner=False)
def _frames(identity: tuple[str, ...], _shown: Demonstration) -> list[dict[str, Any]]:
    """Return the frames as JSON, without unchanged parts."""
    frames, former = list[dict[str, Any]](), tuple[Any, ...]()
    for frame in _shown.frames:
        coordinates = frame.coordinates()
        changed = [
            None if i < len(former) and former[i] is frame.places[i] else each
            for i, each in enumerate(coordinates)
        ]
        frames.append({"label": frame.label, "sentence": frame.sentence, "places": changed})
        former = frame.places
    return frames
