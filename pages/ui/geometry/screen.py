"""One experiment: its figure beside the question, the prediction and the answer."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from lincore import analysis, laboratory, report
from lincore.errors import DataError
from pages.ui.geometry import _board, _player
from pages.ui.session import commands, questions
from pages.ui.widgets import controls, displays, text

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.displays import ExperimentDisplay
    from lincore.laboratory import Preset

#: The preset whose answer appears once its frames have played; the number of reveals.
PLAYS, _TURN = "geometry.plays", "geometry.turn"
# Pixels above and below the figure in a low window, without the presenter's layout.
_ABOVE = 228


def show(word: str, name: str, presenter: bool) -> None:
    """Draw a preset of an experiment."""
    experiment, preset_key = laboratory.EXPERIMENTS[word], (word, name)
    preset, display = experiment.presets[name], _display()
    turn = st.session_state.get(_TURN, 0)
    is_revealed, board = questions.experiment().revealed, preset.board
    # Parameters can be moved before the answer is revealed, rows afterwards.
    has_board = board is not None and (is_revealed or bool(board.names))
    plays = is_revealed and not has_board and st.session_state.get(PLAYS) == preset_key
    left, right = st.columns([3, 2], gap="medium" if presenter else "large")
    result = display.verdict() if is_revealed and not plays else ""
    with right, st.container(key="geometry.beside"):
        drawn = None
        if has_board:
            st.markdown("Drag points, or use the keys: arrows move, Page Down chooses the next.")
        elif is_revealed:
            drawn = _player.show(
                display.shown,
                identity=(word, name, display.letter),
                turn=turn,
                play=plays,
                presenter=presenter,
                on_end=lambda: st.session_state.pop(PLAYS, None),
            )
        else:
            st.markdown(text.escape(display.shown.frames[0].sentence))
        _question(display, bool(result))
        if is_revealed and preset.letter is not None:
            _ask_letter(preset_key, display.letter)
        _buttons(preset, preset_key, is_revealed)
        with st.container(key="geometry.passage"):
            st.caption(text.escape(experiment.passage))
    if is_revealed:
        displays.note(display)
    with left, st.container(key="geometry.stage"):
        if board is not None and has_board:
            token = f"{word}/{name}/{turn}"
            _board.show(board, preset_key, token, result=result, presenter=presenter)
            return
        demonstration = display.compared if is_revealed else display.shown
        figure = demonstration.figure if drawn is None else demonstration.figure_at(drawn)
        # The player animates it in the browser; the export contains the last frame.
        exported = displays.parts(display).figure if is_revealed else figure
        room = None if presenter else _ABOVE
        controls.figure(figure, key="geometry.figure", exported=exported, result=result, room=room)
    if result:
        _numbers(display)


def rows(word: str, name: str) -> Dataset | None:
    """Return the rows of a preset, possibly moved by hand; None if it has only lines."""
    preset = laboratory.EXPERIMENTS[word].presets[name]
    if preset.rows is None:
        return None
    is_moved = preset.board is not None and not preset.board.names
    points = questions.experiment().points if is_moved else ()
    try:
        return laboratory.experiment_rows(word, name, points=points)
    except DataError:  # too few rows of a class, which the board reports
        return preset.rows()


def _display() -> ExperimentDisplay:
    """Return the question, with moved points and a typed letter if they are valid."""
    asked = questions.experiment().display()
    for display in (asked, replace(asked, points=()), replace(asked, letter="")):
        with suppress(DataError), st.spinner("Running the experiment …"):
            _ = display.shown
            return display
    return replace(asked, points=(), letter="")


def _ask_letter(preset_key: tuple[str, str], used: str) -> None:
    key = f"geometry.letter.{'.'.join(preset_key)}"
    letter = questions.experiment().letter
    controls.begin_with(key, letter)
    st.text_input(
        "Your own letter",
        key=key,
        max_chars=200,
        on_change=_keep_letter,
        args=(preset_key, key),
        placeholder="to be or not",
        help="Its words are counted, and each word multiplies the odds of ham.",
    )
    if letter != used:
        try:
            laboratory.demonstrate(*preset_key, letter=letter)
        except DataError as error:
            text.show_problem(error.notice)


def _keep_letter(preset_key: tuple[str, str], key: str) -> None:
    """Store a letter, and clear the prediction for the former one."""
    questions.choose_for_preset(
        preset_key, letter=st.session_state.get(key, "").strip(), guess=None
    )
    st.session_state[_guess_key(preset_key)] = None


def _guess_key(preset_key: tuple[str, str]) -> str:
    return f"geometry.guess.{'.'.join(preset_key)}"


def _numbers(display: ExperimentDisplay) -> None:
    """Show the tables of an experiment beside their formulas."""
    for number, table in enumerate(display.tables()):
        left, right = st.columns([3, 2], gap="medium")
        with left:
            displays.show(table, key=f"geometry.numbers.{number}")
        with right:
            for name in table.numbers.formulas:
                st.latex(report.FORMULAS[name].latex)
                st.caption(text.escape(report.FORMULAS[name].source))


def _question(display: ExperimentDisplay, is_answered: bool) -> None:
    """Ask for a prediction and show the answer; the button, and keyboard focus, do not move."""
    # A form sends a number that was just typed and the following click in one message.
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
                help="It is compared with the computed answer. Optional.",
                width=160,
            )
            st.form_submit_button(
                "Reveal",
                key="geometry.reveal",
                on_click=_reveal,
                icon=":material/visibility:",
                help="Play the experiment and show the computed answer.",
            )
        if is_answered:
            st.markdown(text.escape(display.shown.finding))


def _buttons(preset: Preset, preset_key: tuple[str, str], is_revealed: bool) -> None:
    with st.container(horizontal=True, key="geometry.away"):
        use = st.button(
            "Use these rows on Classify",
            key="geometry.use",
            disabled=preset.rows is None,
            help="Make the rows of this experiment the data set, and open the page Classify.",
        )
    if use:
        rows = preset.board is not None and not preset.board.names and is_revealed
        points = questions.experiment().points if rows else ()
        commands.draw(lambda: analysis.ExperimentData(*preset_key, points))
        st.switch_page("pages/classify.py")


def _reveal() -> None:
    """Reveal the current preset; a late click may come from another page."""
    asked = questions.experiment()
    preset_key = (asked.experiment, asked.preset)
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1
    if _guess_key(preset_key) in st.session_state:
        questions.choose_for_preset(preset_key, guess=st.session_state[_guess_key(preset_key)])
    questions.choose_for_preset(preset_key, revealed=True)
    st.session_state[PLAYS] = preset_key
