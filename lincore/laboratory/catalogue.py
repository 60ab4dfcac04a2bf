"""The experiments of the laboratory, in the order of the chapter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from lincore.data.dataset import Dataset
from lincore.errors import DataError
from lincore.laboratory import (
    _ambiguity,
    _basis,
    _bayes,
    _covariances,
    _far_points,
    _fisher,
    _likelihood,
    _one_function,
    _own_rows,
    _perceptron,
    _race,
    _sigmoid,
)
from lincore.laboratory._own_rows import rows_of
from lincore.laboratory.demonstration import Demonstration
from lincore.laboratory.experiment import Board, LaboratoryExperiment, Point, Preset
from lincore.utils.displayed import display

#: By the name used in links.
EXPERIMENTS: Mapping[str, LaboratoryExperiment] = {
    "one-function": _one_function.EXPERIMENT,
    "ambiguity": _ambiguity.EXPERIMENT,
    "far-points": _far_points.EXPERIMENT,
    "fisher": _fisher.EXPERIMENT,
    "perceptron": _perceptron.EXPERIMENT,
    "race": _race.EXPERIMENT,
    "covariances": _covariances.EXPERIMENT,
    "bayes": _bayes.EXPERIMENT,
    "basis": _basis.EXPERIMENT,
    "likelihood": _likelihood.EXPERIMENT,
    "own-rows": _own_rows.EXPERIMENT,
    "sigmoid": _sigmoid.EXPERIMENT,
}


def demonstrate(
    experiment: str,
    preset: str = "classic",
    *,
    points: Sequence[Point] = (),
    letter: str = "",
    guess: float | None = None,
) -> Demonstration:
    """Run a preset of an experiment.

    Parameters
    ----------
    experiment : str
        A key of `EXPERIMENTS`.
    preset : str
        A key of its presets.
    points : sequence of (float, float, int), optional
        Two coordinates and a class each, replacing the preset's points, if these can be moved.
    letter : str, optional
        Text that replaces the preset's letter, if it has one.
    guess : float, optional
        A predicted answer, to be drawn beside the outcome.

    Raises
    ------
    DataError
        If a name is unknown, or points or letter cannot be used.

    Examples
    --------
    >>> demonstration = demonstrate("perceptron")
    >>> demonstration.answer, demonstration.frames[1].label
    (47.0, 'mistake 1')
    >>> round(demonstrate("likelihood", letter="Not the question!").answer, 2)
    7.69
    """
    moved = tuple((x, y, code) for x, y, code in points)
    if guess is None:
        return _run(experiment, preset, moved, letter)
    return _run_with_guess(experiment, preset, moved, letter, guess)


# Cached, because some take five seconds; figures are never changed in place.
@lru_cache(maxsize=64)
def _run(experiment: str, preset: str, points: tuple[Point, ...], letter: str) -> Demonstration:
    chosen = _preset(experiment, preset)
    if points:
        return _board(chosen).show(points).labelled()
    if not letter:
        return chosen.show().labelled()
    if chosen.letter is None:
        raise _unusable("letter", preset)
    return chosen.letter.show(letter).labelled()


@lru_cache(maxsize=32)
def _run_with_guess(
    experiment: str, preset: str, points: tuple[Point, ...], letter: str, guess: float
) -> Demonstration:
    name = f"your prediction: {_preset(experiment, preset).in_words(guess)}"
    return _run(experiment, preset, points, letter).with_guess(guess, name)


def answer(experiment: str = "one-function", preset: str = "classic", **settings: Any) -> Any:
    """Return an experiment with its question, frames and computed answer.

    Parameters
    ----------
    experiment, preset : str
        As for `demonstrate`.
    **settings
        `points` and `letter` as for `demonstrate`; `guess`, a number to compare with the answer.

    Returns
    -------
    ExperimentDisplay

    Raises
    ------
    DataError
        If a setting is unknown; and as in `demonstrate`, when the display is shown.

    Examples
    --------
    >>> answer("far-points", guess=12.0).verdict()
    'Your prediction: 12 rows. Computed: 15 rows.'
    """
    return display("ExperimentDisplay", experiment=experiment, preset=preset, **settings)


def experiment_rows(
    experiment: str, preset: str = "classic", *, points: Sequence[Point] = ()
) -> Dataset:
    """Return the rows of a preset of an experiment.

    Parameters
    ----------
    experiment, preset, points
        As for `demonstrate`.

    Raises
    ------
    DataError
        If a name is unknown, or the preset has no rows.

    Examples
    --------
    >>> experiment_rows("far-points").counts.tolist()
    [60, 70]
    """
    chosen = _preset(experiment, preset)
    if points and not _board(chosen).names:
        return rows_of(points)
    if chosen.rows is None:
        raise DataError("This preset has no rows.", where=preset, remedy="Choose another preset.")
    return chosen.rows()


def _board(preset: Preset) -> Board:
    if preset.board is None:
        raise _unusable("points", preset.title)
    return preset.board


def _unusable(setting: str, where: str) -> DataError:
    return DataError(
        f"It does not accept your own {setting}.", where=where, remedy="Choose another preset."
    )


def _preset(experiment: str, preset: str) -> Preset:
    known = EXPERIMENTS.get(experiment)
    if known is None or preset not in known.presets:
        words = EXPERIMENTS if known is None else known.presets
        raise DataError(
            f"There is no {preset if known else experiment!r} in the laboratory.",
            where="experiment",
            remedy=f"Choose one of {', '.join(words)}.",
        )
    return known.presets[preset]
