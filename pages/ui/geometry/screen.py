"""One experiment: its figure, and beside it what is seen, predicted and computed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from lincore import laboratory, report
from lincore.errors import DataError
from pages.ui.geometry import _board, _player
from pages.ui.session import commands, questions
from pages.ui.widgets import controls, tables, text

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from lincore.laboratory import Demonstration, Preset

_PLAY, _TURN = "geometry.play", "geometry.turn"


def show(word: str, name: str, presenter: bool) -> None:
    """Draw a preset of an experiment."""
    experiment, place = laboratory.EXPERIMENTS[word], (word, name)
    preset, shown = experiment.presets[name], _demonstrate(word, name)
    turn = st.session_state.get(questions.SHOWN, {}).get(place)
    is_revealed = turn is not None
    own = _on_letter(place, shown) if is_revealed else shown
    left, right = st.columns([3, 2], gap="large")
    with right, st.container(key="geometry.beside"):
        drawn = None
        if is_revealed and preset.board is not None:
            st.markdown("Drag points, or use the keys: arrows move, Page Down chooses the next.")
        elif is_revealed:
            drawn = _player.show(
                own,
                place=(word, name, _letter(place)),
                turn=turn,
                varied=experiment.varied,
                play=st.session_state.pop(_PLAY, False),
                presenter=presenter,
                on_hide=lambda: _hide(place),
            )
        else:
            st.markdown(text.escape(shown.frames[0].sentence))
        _question(preset, shown, own, place, is_revealed)
        if is_revealed and preset.letter is not None:
            _ask_letter(place)
        _buttons(preset, place, is_revealed)
        st.caption(text.escape(f"{experiment.passage} The rows are those of the experiment."))
    with left:
        if is_revealed and preset.board is not None:
            _board.show(preset.board, place, f"{word}/{name}/{turn}")
            return
        figure = own.figure if drawn is None else own.figure_at(drawn)
        # The player moves it in the browser: what is taken away is what it ends with.
        taken = _last(word, name, _letter(place)) if is_revealed else figure
        controls.figure(figure, key="geometry.figure", taken=taken)
    if is_revealed:
        _numbers(own)


@st.cache_resource(max_entries=64, show_spinner="Carrying out the experiment …")
def _demonstrate(word: str, name: str, letter: str = "") -> Demonstration:
    return laboratory.demonstrate(word, name, letter=letter)


@st.cache_resource(max_entries=64, show_spinner=False)
def _last(word: str, name: str, letter: str) -> go.Figure:
    shown = _on_letter((word, name), _demonstrate(word, name))
    return shown.figure_at(range(len(shown.frames))[shown.stop])


def _letter(place: tuple[str, str]) -> str:
    return str(st.session_state.get(questions.LETTERS, {}).get(place, ""))


def _on_letter(place: tuple[str, str], shown: Demonstration) -> Demonstration:
    """Carry the experiment out on the letter of one's own, where there is one that can be used."""
    try:
        return _demonstrate(*place, _letter(place)) if _letter(place) else shown
    except DataError:
        return shown


def _ask_letter(place: tuple[str, str]) -> None:
    key = f"geometry.letter.{'.'.join(place)}"
    controls.begin_with(key, _letter(place))
    st.text_input(
        "A letter of your own",
        key=key,
        max_chars=200,
        on_change=lambda: questions.keep(
            questions.LETTERS, place, st.session_state[key].strip() or None
        ),
        placeholder="to be or not",
        help="Its words are counted, and each multiplies the odds of ham.",
    )
    if _letter(place):
        try:
            _demonstrate(*place, _letter(place))
        except DataError as error:
            text.show_problem(error.notice)


def _numbers(shown: Demonstration) -> None:
    """Show the tables of an experiment, each beside its formulas."""
    for number, (title, names, frame) in enumerate(shown.numbers):
        st.markdown(f"##### {text.escape(title)}")
        left, right = st.columns([3, 2], gap="medium")
        with left, st.container(key=f"geometry.numbers.{number}"):
            tables.numbers(frame, alt=f"{title}.")
        with right:
            for name in names:
                st.latex(report.FORMULAS[name].latex)
                st.caption(text.escape(report.FORMULAS[name].source))


def _question(
    preset: Preset,
    shown: Demonstration,
    own: Demonstration,
    place: tuple[str, str],
    is_revealed: bool,
) -> None:
    guess = st.session_state.get(questions.GUESSES, {}).get(place)
    with st.container(border=True, key="geometry.question"):
        st.markdown(f"**{text.escape(preset.question)}**")
        if is_revealed:
            st.markdown(text.escape(preset.verdict(guess, shown.answer)))
            st.markdown(text.escape(own.finding))
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
                on_change=lambda: questions.keep(
                    questions.GUESSES, place, st.session_state.get(key)
                ),
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
            shortcut="H" if is_revealed and preset.board is not None else None,
            help="Hide the answer and begin again.",
        )
    if use:
        rows = preset.board is not None and not preset.board.names and is_revealed
        points = st.session_state.get(questions.POINTS, {}).get(place, ()) if rows else ()
        commands.use_experiment(*place, points)
        st.switch_page("pages/classify.py")


def _reveal(place: tuple[str, str]) -> None:
    turn = st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    questions.keep(questions.SHOWN, place, turn)
    st.session_state[_PLAY] = True


def _hide(place: tuple[str, str]) -> None:
    for key in (questions.SHOWN, questions.POINTS, questions.LETTERS):
        questions.keep(key, place, None)
