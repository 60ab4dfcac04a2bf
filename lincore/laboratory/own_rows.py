"""Experiment 11: rows that are dragged by hand, and the lines of four classifiers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from lincore.data.dataset import Dataset
from lincore.data.generators import gaussian_classes
from lincore.data.mixtures import with_far_rows, xor_classes
from lincore.errors import DataError
from lincore.estimators.least_squares import LeastSquaresClassifier
from lincore.estimators.linear_discriminant import LinearDiscriminantAnalysis
from lincore.estimators.logistic.estimator import LogisticRegression
from lincore.estimators.perceptron import Perceptron
from lincore.geometry.half_planes import line_in_window
from lincore.laboratory.experiment import Demonstration, Experiment, Preset, Snapshot, nothing
from lincore.laboratory.samples import Line
from lincore.plots.base.palette import colour, method_look
from lincore.plots.geometry.stage import Plane, line, stage
from lincore.utils.formatting import listed
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Array

CLASS_COLOURS = (colour(0), colour(1))
#: Half the side of the window of the rows, and how many there may be.
REACH, MOST_ROWS = 6.0, 200
MODELS: Mapping[str, Callable[[], Any]] = {
    "least squares": LeastSquaresClassifier,
    "LDA": LinearDiscriminantAnalysis,
    "logistic regression": partial(LogisticRegression, C=1e4),
    "perceptron": partial(Perceptron, weights="pocket", random_state=0),
}
WINDOW = Plane(np.full(2, -REACH), np.full(2, REACH))


class FittedLine(NamedTuple):
    """The boundary of a classifier of two features.

    Attributes
    ----------
    name : str
    ends : ndarray of shape (2, 2)
        NaN where it runs outside of the window.
    n_wrong : int
        Rows misclassified.
    colour, dash : str
    """

    name: str
    ends: Array
    n_wrong: int
    colour: str
    dash: str

    def record(self) -> dict[str, Any]:
        """Return it as JSON has it; without ends where it runs outside."""
        ends = self.ends.round(4).tolist() if np.isfinite(self.ends).all() else None
        return {**self._asdict(), "ends": ends}


def fitted_lines(X: ArrayLike, codes: ArrayLike) -> tuple[FittedLine, ...]:
    """Fit least squares, LDA, logistic regression and the perceptron to rows of two classes.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        Within ±6.
    codes : array-like of shape (n,)
        0 or 1.

    Returns
    -------
    tuple of FittedLine

    Raises
    ------
    DataError
        For more than 200 rows, rows that are outside, and a class with fewer than two.

    Examples
    --------
    >>> lines = fitted_lines([[0, 0], [1, 1], [3, 0], [4, 1]], [0, 0, 1, 1])
    >>> [(one.name, one.n_wrong) for one in lines][:2]
    [('least squares', 0), ('LDA', 0)]
    """
    rows, labels = np.asarray(X, dtype=float).reshape(-1, 2), np.asarray(codes, dtype=np.intp)
    if len(rows) > MOST_ROWS or len(rows) != len(labels) or not np.isfinite(rows).all():
        raise DataError(
            f"There may be {MOST_ROWS} rows of two finite numbers.",
            where="rows",
            remedy="Delete some.",
        )
    if np.abs(rows).max(initial=0.0) > REACH or not np.isin(labels, (0, 1)).all():
        raise DataError(
            f"Rows lie within ±{REACH:g} and are of two classes.", where="rows", remedy="Move them."
        )
    if min(np.bincount(labels, minlength=2)) < 2:
        raise DataError(
            "A class has fewer than two rows.", where="rows", remedy="Add rows of both classes."
        )
    found = []
    for number, (name, make) in enumerate(MODELS.items()):
        with captured_warnings():
            f = Line.of(make().fit(rows, labels))
        ends = line_in_window(f.normal, f.offset, WINDOW.low, WINDOW.high)
        hue, dash, _ = method_look(number)
        found.append(FittedLine(name, ends, f.n_wrong(rows, labels), hue, dash))
    return tuple(found)


def lines_sentence(lines: tuple[FittedLine, ...], n_rows: int) -> str:
    """Return how many rows each classifier misclassifies, as a sentence.

    Parameters
    ----------
    lines : tuple of FittedLine
    n_rows : int
    """
    parts = listed([f"{one.name} {one.n_wrong}" for one in lines])
    return f"Misclassified of {n_rows} rows: {parts}."


def moved_rows(start: Dataset, rows: Sequence[float]) -> Dataset:
    """Return the rows of the board after some were dragged, added or deleted.

    Parameters
    ----------
    start : Dataset
        As they were.
    rows : sequence of float
        x, y and class (0 or 1) of each row, one row after the other.

    Raises
    ------
    DataError
        As for `fitted_lines`, and where a row has fewer than three numbers.
    """
    if len(rows) % 3:
        raise DataError("A row has x, y and a class.", where="rows", remedy="Give all three.")
    table = np.asarray(rows, dtype=float).reshape(-1, 3)
    codes = table[:, 2].astype(np.intp)
    fitted_lines(table[:, :2], table[:, 2])
    return replace(start, name="own rows", X=table[:, :2].copy(), codes=codes, truth=None)


def lines_figure(data: Dataset, lines: tuple[FittedLine, ...], places: Sequence[Array]) -> Any:
    """Draw rows of two classes, and the lines of four classifiers.

    Parameters
    ----------
    data : Dataset
    lines : tuple of FittedLine
    places : sequence of ndarrays of shape (2, 2)
        Where each line is drawn from and to.

    Returns
    -------
    plotly.graph_objects.Figure
    """
    return stage(
        WINDOW,
        tuple(line(one.name, one.colour, dash=one.dash, width=3) for one in lines),
        places,
        title=f"{data.n_rows} rows, and the lines of four classifiers",
        alt="Rows of two classes and the boundaries of least squares, LDA, logistic regression and "
        "the perceptron.",
        rows=(data.X, data.codes, data.classes),
    )


def demonstrate_rows(rows: Callable[[], Dataset]) -> Demonstration:
    """Fit the lines of four classifiers to rows, one after the other.

    Parameters
    ----------
    rows : callable
        Makes them.
    """
    data = rows()
    lines = fitted_lines(data.X, data.codes)
    sentence = lines_sentence(lines, data.n_rows)
    empty = Snapshot("before", f"{data.n_rows} rows of two classes.", (nothing(),) * len(lines))
    frames = [
        Snapshot(
            one.name,
            sentence,
            tuple(each.ends if j <= i else nothing() for j, each in enumerate(lines)),
        )
        for i, one in enumerate(lines)
    ]
    figure = lines_figure(data, lines, empty.places)
    finding = f"{sentence} Drag rows, or add and delete some: all four are fitted again."
    return Demonstration(figure, (empty, *frames), float(lines[0].n_wrong), finding)


def _two() -> Dataset:
    return gaussian_classes([[-1.5, 0.0], [1.5, 0.5]], 1.4 * np.eye(2), sizes=[12, 12], seed=1)


def _one_far() -> Dataset:
    data = gaussian_classes([[-3.5, 2.5], [-1.0, 2.5]], 0.3 * np.eye(2), sizes=[10, 10], seed=2)
    return with_far_rows(data, 1, [4.8, -4.8], size=3)


def _corners() -> Dataset:
    return xor_classes(size=8)


EXPERIMENT = Experiment(
    "Rows of your own",
    "The same rows, four criteria: squared errors, Gaussian classes, likelihood of the labels, "
    "mistakes (lecture, “Linear classifiers”).",
    "classifier",
    {
        "classic": Preset(
            "Two groups",
            "How many of the 24 rows does least squares misclassify?",
            "rows",
            0,
            partial(demonstrate_rows, _two),
            _two,
        ),
        "far": Preset(
            "Three far rows",
            "Three rows of class 2 lie far away. How many of the 23 rows does least squares "
            "misclassify?",
            "rows",
            0,
            partial(demonstrate_rows, _one_far),
            _one_far,
        ),
        "xor": Preset(
            "Opposite corners",
            "No line separates opposite corners. How many of the 32 rows does least squares "
            "misclassify?",
            "rows",
            0,
            partial(demonstrate_rows, _corners),
            _corners,
        ),
    },
)
