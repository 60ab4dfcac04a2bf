"""One experiment: its figure, and beside it what is seen, predicted and computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import laboratory
from pages.ui.geometry import _board, _player
from pages.ui.session import commands, questions
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.laboratory import Demonstration, Preset

_SHOWN, _GUESSES, _PLAY = "geometry.shown", "geometry.guesses", "geometry.play"


def show(word: str, name: str, presenter: bool) -> None:
    """Draw a preset of an experiment."""
    experiment = laboratory.EXPERIMENTS[word]
    preset, shown = experiment.presets[name], _demonstrate(word, name)
    place = (word, name)
    is_revealed = place in st.session_state.get(_SHOWN, {})
    left, right = st.columns([3, 2], gap="large")
    with right, st.container(key="geometry.beside"):
        drawn = None
        on_board = is_revealed and word == laboratory.OWN
        if on_board:
            st.markdown("Drag rows, or use the keys that the board names. Double click adds one.")
        elif is_revealed:
            drawn = _player.show(
                shown,
                place=place,
                turn=st.session_state[_SHOWN][place],
                varied=experiment.varied,
                play=st.session_state.pop(_PLAY, False),
                presenter=presenter,
                on_hide=lambda: _hide(place),
            )
        else:
            st.markdown(text.escape(shown.frames[0].sentence))
        _question(preset, shown, place, is_revealed)
        _buttons(preset, place, is_revealed)
        st.caption(text.escape(f"{experiment.passage} The rows are those of the experiment."))
    if on_board and preset.rows is not None:
        with left:
            _board.show(preset.rows(), questions.board_token(place))
        return
    with left:
        figure = shown.figure
        if drawn is not None:
            figure = shown.figure_at(drawn)
        # The player moves it in the browser: what is taken away is what it ends with.
        taken = _last(word, name) if is_revealed else figure
        controls.figure(figure, key="geometry.figure", taken=taken)


@st.cache_resource(max_entries=64, show_spinner="Carrying out the experiment …")
def _demonstrate(word: str, name: str) -> Demonstration:
    return laboratory.demonstrate(word, name)


@st.cache_resource(max_entries=64, show_spinner=False)
def _last(word: str, name: str) -> go.Figure:
    shown = _demonstrate(word, name)
    return shown.figure_at(range(len(shown.frames))[shown.stop])


def _question(
    preset: Preset, shown: Demonstration, place: tuple[str, str], is_revealed: bool
) -> None:
    guess = st.session_state.get(_GUESSES, {}).get(place)
    with st.container(border=True, key="geometry.question"):
        st.markdown(f"**{text.escape(preset.question)}**")
        if is_revealed:
            st.markdown(text.escape(preset.verdict(guess, shown.answer)))
            st.markdown(text.escape(shown.finding))
            return
        key = f"geometry.guess.{'.'.join(place)}"
        controls.begin_with(key, guess)
        with st.container(horizontal=True, vertical_alignment="bottom", key="geometry.predict"):
            st.number_input(
                f"Your prediction{f', {preset.unit}' if preset.unit else ''}",
                value=None,
                step=10.0**-preset.digits,
                format=f"%.{preset.digits}f",
                key=key,
                on_change=_keep,
                args=(key, place),
                placeholder="a number",
                help="It is set against the computed answer. You may leave it empty.",
                width=200,
            )
            st.button(
                "Reveal",
                key="geometry.reveal",
                on_click=_reveal,
                args=(place,),
                icon=":material/visibility:",
                help="Play the experiment and show the computed answer.",
            )


def _buttons(preset: Preset, place: tuple[str, str], is_revealed: bool) -> None:
    with st.container(horizontal=True, key="geometry.away"):
        use = st.button(
            "Use these rows on Classify",
            key="geometry.use",
            disabled=preset.rows is None,
            help="Make the rows of this experiment the data set, and open the page Classify.",
        )
        st.button(
            "Reset",
            key="geometry.reset",
            on_click=_hide,
            args=(place,),
            disabled=not is_revealed,
            help="Hide the answer and begin again.",
        )
    if use and place[0] == laboratory.OWN and is_revealed and _board.is_changed():
        _board.use(place)
        st.switch_page("pages/classify.py")
    if use:
        commands.use_experiment(*place)
        st.switch_page("pages/classify.py")


def _keep(key: str, place: tuple[str, str]) -> None:
    guesses = st.session_state.get(_GUESSES, {})
    st.session_state[_GUESSES] = {**guesses, place: st.session_state.get(key)}


def _reveal(place: tuple[str, str]) -> None:
    turn = st.session_state.get("geometry.turn", 0) + 1
    st.session_state["geometry.turn"] = turn
    st.session_state[_SHOWN] = {**st.session_state.get(_SHOWN, {}), place: turn}
    st.session_state[_PLAY] = True


def _hide(place: tuple[str, str]) -> None:
    shown = st.session_state.get(_SHOWN, {})
    st.session_state[_SHOWN] = {key: turn for key, turn in shown.items() if key != place}
