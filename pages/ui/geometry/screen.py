"""One experiment: its figure, and beside it what is seen, predicted and computed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from lincore import laboratory, report
from lincore.errors import DataError
from pages.ui.geometry import _board, _player
from pages.ui.session import commands, questions
from pages.ui.widgets import controls, displays, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.displays import ExperimentDisplay
    from lincore.laboratory import Preset

#: The preset whose answer waits until its frames have been played; how many were revealed.
PLAYS, _TURN = "geometry.plays", "geometry.turn"


def show(word: str, name: str, presenter: bool) -> None:
    """Draw a preset of an experiment."""
    experiment, place = laboratory.EXPERIMENTS[word], (word, name)
    preset, display = experiment.presets[name], _display()
    turn = st.session_state.get(questions.SHOWN, {}).get(place)
    is_revealed, board = turn is not None, preset.board
    # Parameters are tried by hand before the answer is revealed, rows once it is.
    has_board = board is not None and (is_revealed or bool(board.names))
    plays = is_revealed and not has_board and st.session_state.get(PLAYS) == place
    left, right = st.columns([3, 2], gap="large")
    with right, st.container(key="geometry.beside"):
        drawn = None
        if has_board:
            st.markdown("Drag points, or use the keys: arrows move, Page Down chooses the next.")
        elif is_revealed:
            drawn = _player.show(
                display.shown,
                place=(word, name, display.letter),
                turn=turn,
                varied=experiment.varied,
                play=plays,
                presenter=presenter,
                on_end=lambda: st.session_state.pop(PLAYS, None),
                on_hide=lambda: _hide(place),
            )
        else:
            st.markdown(text.escape(display.shown.frames[0].sentence))
        _question(display, is_revealed and not plays)
        if is_revealed and preset.letter is not None:
            _ask_letter(place, display.letter)
        _buttons(preset, place, is_revealed)
        st.caption(text.escape(experiment.passage))
    if is_revealed:
        displays.note(display)
    with left:
        if board is not None and has_board:
            _board.show(board, place, f"{word}/{name}/{turn}", is_revealed=is_revealed)
            return
        figure = display.shown.figure if drawn is None else display.shown.figure_at(drawn)
        # The player moves it in the browser: what is taken away is what it ends with.
        taken = displays.parts(display).figure if is_revealed else figure
        controls.figure(figure, key="geometry.figure", taken=taken)
    if is_revealed and not plays:
        _numbers(display)


def rows(word: str, name: str) -> Dataset | None:
    """Return the rows of a preset, moved by hand perhaps; None where it has lines alone."""
    preset = laboratory.EXPERIMENTS[word].presets[name]
    if preset.rows is None:
        return None
    is_moved = preset.board is not None and not preset.board.names
    points = st.session_state.get(questions.POINTS, {}).get((word, name), ()) if is_moved else ()
    try:
        return laboratory.experiment_rows(word, name, points=points)
    except DataError:  # too few rows of a class, as the board says
        return preset.rows()


def _display() -> ExperimentDisplay:
    """Return what is asked: of points and of a letter of one's own, if they can be used."""
    asked = questions.experiment().display()
    for display in (asked, replace(asked, points=()), replace(asked, letter="")):
        with suppress(DataError), st.spinner("Running the experiment …"):
            _ = display.shown
            return display
    return replace(asked, points=(), letter="")


def _ask_letter(place: tuple[str, str], used: str) -> None:
    key = f"geometry.letter.{'.'.join(place)}"
    letter = st.session_state.get(questions.LETTERS, {}).get(place, "")
    controls.begin_with(key, letter)
    st.text_input(
        "Your own letter",
        key=key,
        max_chars=200,
        on_change=_keep_letter,
        args=(place, key),
        placeholder="to be or not",
        help="Its words are counted, and each word multiplies the odds of ham.",
    )
    if letter != used:
        try:
            laboratory.demonstrate(*place, letter=letter)
        except DataError as error:
            text.show_problem(error.notice)


def _keep_letter(place: tuple[str, str], key: str) -> None:
    """Keep a letter; what was predicted of the former one is no prediction of it."""
    questions.keep(questions.LETTERS, place, st.session_state.get(key, "").strip() or None)
    questions.keep(questions.GUESSES, place, None)
    st.session_state[_guess_key(place)] = None


def _guess_key(place: tuple[str, str]) -> str:
    return f"geometry.guess.{'.'.join(place)}"


def _numbers(display: ExperimentDisplay) -> None:
    """Show the tables of an experiment, each beside its formulas."""
    for number, table in enumerate(display.tables()):
        left, right = st.columns([3, 2], gap="medium")
        with left:
            displays.show(table, key=f"geometry.numbers.{number}")
        with right:
            for name in table.numbers.formulas:
                st.latex(report.FORMULAS[name].latex)
                st.caption(text.escape(report.FORMULAS[name].source))


def _question(display: ExperimentDisplay, is_answered: bool) -> None:
    """Ask, and answer; the button stays where it is, and the keyboard with it.

    A form sends a number that was just typed and the click that follows it in one message.
    """
    preset, key = display.asked, _guess_key((display.experiment, display.preset))
    with st.container(border=True, key="geometry.question"):
        st.markdown(f"**{text.escape(display.question)}**")
        controls.begin_with(key, display.guess)
        with (
            st.form("geometry.predict", border=False),
            st.container(horizontal=True, vertical_alignment="bottom"),
        ):
            st.number_input(
                f"Your prediction{f', {preset.unit}' if preset.unit else ''}",
                value=None,
                step=10.0**-preset.digits,
                format=f"%.{preset.digits}f",
                key=key,
                placeholder="a number",
                help="It is compared with the computed answer. You may leave it empty.",
                width=200,
            )
            st.form_submit_button(
                "Reveal",
                key="geometry.reveal",
                on_click=_reveal,
                icon=":material/visibility:",
                help="Play the experiment and show the computed answer.",
            )
        if is_answered:
            st.markdown(f"**{text.escape(display.verdict())}**")
            st.markdown(text.escape(display.shown.finding))


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
            help="Hide the answer and start again.",
        )
    if use:
        rows = preset.board is not None and not preset.board.names and is_revealed
        points = st.session_state.get(questions.POINTS, {}).get(place, ()) if rows else ()
        commands.use_experiment(*place, points)
        st.switch_page("pages/classify.py")


def _reveal() -> None:
    """Reveal what is chosen, which a click that overtook another page need not have seen yet."""
    asked = questions.experiment()
    place = (asked.experiment, asked.preset)
    turn = st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    if _guess_key(place) in st.session_state:
        questions.keep(questions.GUESSES, place, st.session_state[_guess_key(place)])
    questions.keep(questions.SHOWN, place, turn)
    st.session_state[PLAYS] = place


def _hide(place: tuple[str, str]) -> None:
    for key in (questions.SHOWN, questions.POINTS, questions.LETTERS):
        questions.keep(key, place, None)
