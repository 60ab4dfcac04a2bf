"""The rows of a cell of the confusion matrix, and any rows as a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.estimators.boundary_geometry import mahalanobis
from lincore.inspection.association import level_names
from lincore.metrics.estimates import has_posteriors
from lincore.metrics.results import Results
from lincore.utils.typing import Array

# With more classes a table shows only the posteriors of the two concerned; maximum number of words.
_MOST_CLASSES, _MOST_WORDS = 6, 50


class ConfusionCell(NamedTuple):
    """Rows of one true class with one predicted class.

    Attributes
    ----------
    rows : ndarray of shape (m,)
        Positions in the data set, by increasing posterior of the true class.
    proba : ndarray of shape (m, K) or None
        Posteriors; None if the model has none.
    distances : ndarray of shape (m, K) or None
        Mahalanobis distances from the classes, dimensionless; None if the model is not Gaussian.
        NaN for a class without training rows.
    """

    rows: NDArray[np.intp]
    proba: Array | None
    distances: Array | None


def confusion_cell(
    results: Results, pipeline: Pipeline, data: Dataset, true: int, predicted: int
) -> ConfusionCell:
    """Return the test rows of one cell.

    Parameters
    ----------
    results : Results
        Results of one method.
    pipeline : Pipeline
        The fitted model.
    true, predicted : int
        Codes of the two classes.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> model = lincore.fit(iris, "lda")
    >>> cell = confusion_cell(model.results, model.pipeline, iris, 1, 1)
    >>> bool((np.diff(cell.proba[:, 1]) >= 0).all()), cell.distances.shape[1]
    (True, 3)
    """
    method = results.methods[0]
    chosen = np.flatnonzero((results.truth == true) & (results.predicted[0] == predicted))
    rows = results.rows[chosen]
    distances = _distances(pipeline, data, rows)
    if has_posteriors(results, method) and len(chosen):
        log_proba = results.log_proba[0][chosen]
        order = np.argsort(log_proba[:, true], kind="stable")
        proba = np.exp(log_proba[order])
    else:
        margins = _margins(pipeline, data, rows, true)
        order = np.argsort(margins, kind="stable")
        proba = None
    return ConfusionCell(rows[order], proba, None if distances is None else distances[order])


def cell_columns(data: Dataset, cell: ConfusionCell, true: int, predicted: int) -> dict[str, Any]:
    """Return posteriors and distances of the two classes, or of all classes if there are few.

    Parameters
    ----------
    true, predicted : int
        Codes of the two classes.

    Returns
    -------
    dict of str to ndarray of shape (m,)
        Rounded to 4 and 2 digits.
    """
    codes = range(data.n_classes) if data.n_classes <= _MOST_CLASSES else {true, predicted}
    columns = {}
    for code in sorted(codes):
        if cell.proba is not None:
            columns[f"p({data.classes[code]})"] = cell.proba[:, code].round(4)
    for code in sorted(codes):
        if cell.distances is not None:
            columns[f"distance to {data.classes[code]}"] = cell.distances[:, code].round(2)
    return columns


def row_table(
    data: Dataset, rows: NDArray[np.intp], columns: Mapping[str, Sequence[Any]] | None = None
) -> pd.DataFrame:
    """Return rows as a table of row number, class, additional columns and features.

    Categories are shown by name; words have a column only if they occur in these rows.

    Parameters
    ----------
    data : Dataset
        A table, with or without texts.
    rows : ndarray of int, shape (m,)
    columns : mapping of str to sequences of length m, optional

    Examples
    --------
    >>> import lincore
    >>> row_table(lincore.sample("iris"), np.array([149])).to_numpy().tolist()
    [[149, 'virginica', 5.9, 3.0, 5.1, 1.8]]
    """
    labels = [str(data.classes[code]) for code in data.codes[rows]]
    fields: list[tuple[str, Any]] = [("row", rows), ("class", labels)]
    if data.row_names is not None:
        fields.insert(1, ("name", [data.row_names[row] for row in rows]))
    fields += (columns or {}).items()
    block = data.X[rows]
    shown: Sequence[int] = range(data.n_features)
    if data.kind.is_sparse:
        block = block.toarray()
        n_columns = data.n_table_columns
        occurrences = np.count_nonzero(block[:, n_columns:], axis=0)
        words = np.argsort(-occurrences, kind="stable")[:_MOST_WORDS]
        shown = [*range(n_columns), *(int(n_columns + j) for j in words if occurrences[j])]
    fields += [(data.feature_names[j], _values(data, block[:, j], j)) for j in shown]
    # Numbered columns, because names may be repeated.
    table = pd.DataFrame({i: values for i, (_, values) in enumerate(fields)})
    table.columns = pd.Index(_unique([name for name, _ in fields]))
    return table


def _values(data: Dataset, column: NDArray[Any], j: int) -> Any:
    levels = level_names(data, j)
    if levels is None:
        return column
    return [None if np.isnan(code) else levels[int(code)] for code in column]


def _unique(names: Sequence[str]) -> list[str]:
    seen: dict[str, int] = {}
    unique = []
    for name in map(str, names):
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return unique


def _distances(pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp]) -> Array | None:
    model = pipeline.steps[-1][1]
    if not hasattr(model, "densities_") or not len(rows):
        return None
    distances = np.full((len(rows), data.n_classes), np.nan)
    distances[:, model.classes_] = mahalanobis(pipeline, data.X[rows])
    return distances


def _margins(pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp], true: int) -> Array:
    """Return the margin of the true class in the model's scores, (m,)."""
    model: Any = pipeline.steps[-1][1]
    if not len(rows) or not hasattr(model, "decision_function"):
        return np.zeros(len(rows))
    scores = np.asarray(pipeline.decision_function(data.X[rows]), dtype=float)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores]) / 2
    positions = np.flatnonzero(np.asarray(model.classes_) == true)
    if len(positions) != 1 or scores.shape[1] != len(model.classes_):
        return np.full(len(rows), -np.inf)
    own = scores[:, positions[0]].copy()
    scores[:, positions[0]] = -np.inf
    return np.asarray(own - scores.max(axis=1))
