"""Cached computations of Explore, keyed by data and options."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lincore import inspection
from pages.ui.session import cache

if TYPE_CHECKING:
    from lincore.data import Dataset, Split
    from lincore.estimators import FisherDiscriminant
    from lincore.inspection import Projection

# Rows that rebuilding is judged on.
MOST_JUDGED = 1_000


class ProjectionChoice(NamedTuple):
    """The training rows, and what is done to them before they are projected."""

    digest: str
    split: cache.SplitSettings
    standardize: bool


class Directions(NamedTuple):
    """Fisher's discriminant, or the reason why there is none."""

    fisher: FisherDiscriminant | None
    reason: str


@cache.by_bytes("Finding the principal components …")
def projection(choice: ProjectionChoice, _data: Dataset) -> Projection:
    """Fit principal components on the training set."""
    part = cache.training_set(choice.digest, choice.split, _data)
    rows = cache.split(choice.digest, choice.split, _data)
    return inspection.fit_projections(_data, rows, part, standardize=choice.standardize)


@cache.by_bytes()
def directions(choice: ProjectionChoice, n_components: int, _data: Dataset) -> Directions:
    """Fit Fisher's discriminant behind a number of components."""
    try:
        return Directions(projection(choice, _data).fisher(n_components), "")
    except ValueError as error:
        return Directions(None, str(error))


@cache.by_bytes()
def scores(
    choice: ProjectionChoice, part: str, axes: tuple[int, ...], whiten: bool, _data: Dataset
) -> np.ndarray:
    """Return the rows of a part along some components."""
    found = projection(choice, _data)
    return found.scores(_data.X[_rows(choice, part, _data)], axes, whiten=whiten)


@cache.by_bytes()
def fisher_scores(
    choice: ProjectionChoice, part: str, axes: tuple[int, ...], n_components: int, _data: Dataset
) -> np.ndarray:
    """Return the rows of a part along some of Fisher's directions."""
    fisher = directions(choice, n_components, _data).fisher
    if fisher is None:
        raise RuntimeError("there are no directions")
    found = projection(choice, _data)
    return found.fisher_scores(_data.X[_rows(choice, part, _data)], fisher, axes)


@cache.by_bytes()
def separations(
    choice: ProjectionChoice, n_components: int, _data: Dataset
) -> tuple[np.ndarray, np.ndarray]:
    """Return J of the first component and of Fisher's first direction, on either part."""
    fisher = directions(choice, n_components, _data).fisher
    if fisher is None:
        raise RuntimeError("there are no directions")
    found = projection(choice, _data)
    test = cache.split(choice.digest, choice.split, _data).test
    if not len(test):
        return found.separation(fisher), found.separation(fisher)
    unseen = found.separation(fisher, _data.X[test], _data.codes[test])
    return found.separation(fisher), unseen


@cache.by_bytes()
def class_means(choice: ProjectionChoice, _data: Dataset) -> np.ndarray:
    """Return the mean training row of each class."""
    rows = cache.split(choice.digest, choice.split, _data).train
    return inspection.class_means(_data.X[rows], _data.codes[rows], _data.n_classes)


class Error(NamedTuple):
    """Reconstruction error by a number of components, and the number of test rows."""

    value: float
    n_rows: int


@cache.by_bytes()
def rebuilding_error(choice: ProjectionChoice, n_components: int, _data: Dataset) -> Error:
    """Judge rebuilding on test rows, an even sample of them where they are many."""
    test = cache.split(choice.digest, choice.split, _data).test
    judged = test[:: -(-len(test) // MOST_JUDGED) or 1]
    if not len(judged):
        return Error(np.nan, 0)
    found = projection(choice, _data)
    error = inspection.reconstruction_error(found, _data.X[judged], n_components)
    return Error(error, len(judged))


def part_rows(split: Split, part: str) -> np.ndarray:
    """Return the row numbers of the part that is shown."""
    rows: np.ndarray = getattr(split, part)
    return rows


def _rows(choice: ProjectionChoice, part: str, data: Dataset) -> np.ndarray:
    return part_rows(cache.split(choice.digest, choice.split, data), part)
