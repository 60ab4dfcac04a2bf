"""The experiments of the laboratory, in the order of the chapter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    _perceptron,
    _race,
    own_rows,
)
from lincore.laboratory.experiment import Demonstration, Experiment, Preset

#: The experiment whose rows are dragged.
OWN = "own-rows"
#: By the word that links use.
EXPERIMENTS: Mapping[str, Experiment] = {
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
    OWN: own_rows.EXPERIMENT,
}


def demonstrate(
    experiment: str, preset: str = "classic", rows: Sequence[float] = ()
) -> Demonstration:
    """Carry out a preset of an experiment.

    Parameters
    ----------
    experiment : str
        As in `EXPERIMENTS`.
    preset : str
        As in its presets.
    rows : sequence of float, optional
        Of the experiment "own-rows", after some were dragged, added or deleted: x, y and class
        (0 or 1) of each, one row after the other.

    Raises
    ------
    DataError
        For a word that is none of these, and rows that cannot be.

    Examples
    --------
    >>> found = demonstrate("perceptron")
    >>> found.answer, found.frames[1].label
    (47.0, 'mistake 1')
    """
    found = _preset(experiment, preset)
    if rows:
        return own_rows.demonstrate_rows(lambda: experiment_rows(experiment, preset, rows))
    return found.show()


def experiment_rows(
    experiment: str, preset: str = "classic", rows: Sequence[float] = ()
) -> Dataset:
    """Return the rows of a preset of an experiment.

    Parameters
    ----------
    experiment, preset, rows
        As for `demonstrate`.

    Raises
    ------
    DataError
        For a word that is none of these, for a preset that has lines but no rows, and rows that
        cannot be.

    Examples
    --------
    >>> experiment_rows("far-points").counts.tolist()
    [60, 70]
    """
    start = _preset(experiment, preset).rows
    if start is None:
        raise DataError(
            "This preset has lines and no rows.", where=preset, remedy="Choose another preset."
        )
    if rows and experiment != OWN:
        raise DataError(
            "Its rows are not moved.", where=experiment, remedy=f"Leave them out, or use {OWN}."
        )
    return own_rows.moved_rows(start(), rows) if rows else start()


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
