"""Weights and frequencies of rows: validation and application to a data set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.data.dataset import Dataset
from lincore.data.frames import is_number
from lincore.data.labels import lone_class_notices, rows_left_out
from lincore.errors import DataError, Notice
from lincore.limits import LIMITS
from lincore.utils.formatting import count
from lincore.utils.typing import Array

#: Describes the location of a row, counted from 0.
Locate = Callable[[int], str]
_ENOUGH = "Correct it, leave such rows out, or give the column another role."


def data_row(row: int) -> str:
    """Describe the location of a row of an array, counted from 1."""
    return f"data row {row + 1}"


def checked_weights(
    values: Any, name: str, locate: Locate = data_row, *, is_part: bool = False
) -> Array:
    """Return weights of rows (n,) as float64."""
    return _checked(values, name, "weight", locate, is_part)


def _checked_frequencies(values: Any, name: str, locate: Locate, width: int) -> NDArray[np.intp]:
    """Return frequencies of rows (n,) as integers; reject them if too many rows would result."""
    frequencies = _checked(values, name, "frequency", locate)
    broken = frequencies != np.round(frequencies)
    if broken.any():
        row = int(broken.argmax())
        raise DataError(
            f"The frequency {frequencies[row]:g} is not a whole number.",
            where=f"column {name!r}, {locate(row)}",
            remedy="A frequency counts equal rows; for sampling weights use the role weight.",
        )
    total, most = float(frequencies.sum()), min(LIMITS.max_rows, LIMITS.max_cells // max(width, 1))
    if total > most:
        raise DataError(
            f"The frequencies add up to {total:,.15g} rows; at most {most:,} are allowed.",
            where=f"column {name!r}",
            remedy="Divide them by a common factor, or use the column as weights.",
        )
    return frequencies.astype(np.intp)


def _as_array(values: Any) -> NDArray[Any]:
    """Return an array, with NaN for missing numbers."""
    if isinstance(values, pd.Series) and is_number(values):
        return values.to_numpy(np.float64, na_value=np.nan)
    return np.asarray(values)


def _checked(values: Any, name: str, noun: str, locate: Locate, is_part: bool = False) -> Array:
    given = _as_array(values)
    if given.dtype.kind not in "iufb":
        raise _not_numbers(given, name, noun, locate)
    numbers = given.astype(np.float64)
    for wrong, why in (
        (np.isnan(numbers), "is missing"),
        (np.isinf(numbers), "is infinite"),
        (numbers < 0, "is negative"),
    ):
        if wrong.any():
            row = int(wrong.argmax())
            value = "" if why == "is missing" else f" {numbers[row]:g}"
            where = f"column {name!r}, {locate(row)}"
            raise DataError(f"The {noun}{value} {why}.", where=where, remedy=_ENOUGH)
    if len(numbers) and not numbers.any() and not is_part:
        raise DataError(
            f"Every {noun} is zero: no rows would remain.",
            where=f"column {name!r}",
            remedy="Give the column another role.",
        )
    return numbers


def _not_numbers(given: NDArray[Any], name: str, noun: str, locate: Locate) -> DataError:
    for row, value in enumerate(given.tolist()):
        try:
            float(value)
        except (TypeError, ValueError):
            missing = value is None or str(value) in ("nan", "<NA>", "NaT")
            sentence = f"The {noun} is missing." if missing else f"{str(value)!r} is not a {noun}."
            return DataError(sentence, where=f"column {name!r}, {locate(row)}", remedy=_ENOUGH)
    remedy = f"Give numbers, or give the column another role than {noun}."
    return DataError(f"It contains text, not a {noun}.", where=f"column {name!r}", remedy=remedy)


class CountedRows(NamedTuple):
    """Rows with nonzero weight or frequency, repeated by their frequencies."""

    rows: NDArray[np.intp]  # (n,); positions among the original rows
    weights: Array | None  # (n,); with mean 1; None if none were given
    notices: tuple[Notice, ...]  # rows that were repeated or left out

    @property
    def lines(self) -> NDArray[np.intp]:
        """The original row of each copy, numbered from 0 among those that are kept."""
        return np.asarray(np.unique(self.rows, return_inverse=True)[1], dtype=np.intp)


def count_rows(
    n_rows: int,
    weights: Any,
    frequencies: Any,
    weight_name: str,
    frequency_name: str,
    *,
    width: int,
    locate: Locate,
) -> CountedRows:
    """Leave out rows of weight or frequency zero, and repeat the others by their frequencies."""
    # Weights and frequencies (n_rows,) are None if not given; `width` is the number of features,
    # which limits the number of rows.
    rows, notices = np.arange(n_rows), list[Notice]()
    if weights is not None:
        weights = checked_weights(weights, weight_name, locate)
        rows = np.flatnonzero(weights)
        notices += zeros_left_out(n_rows - len(rows), n_rows, "weight", weight_name)
    if frequencies is not None:
        lines = rows
        repeats = _checked_frequencies(
            _as_array(frequencies)[lines],
            frequency_name,
            lambda row: locate(lines[row]),
            width,
        )
        n_lines, rows = int(np.count_nonzero(repeats)), np.repeat(lines, repeats)
        notices += zeros_left_out(len(repeats) - n_lines, n_rows, "frequency", frequency_name)
        sentence = (
            f"{count(n_lines, 'line')} repeated by {frequency_name!r}: {count(len(rows), 'row')}."
        )
        notices.append(Notice(sentence, f"column {frequency_name!r}", code="LIN058"))
    if weights is not None:
        weights = weights[rows] / weights[rows].mean()
    return CountedRows(rows, weights, tuple(notices))


def line_groups(lines: NDArray[np.intp], frequency_name: str) -> dict[str, Any]:
    """Return fields of a data set that make the copies of a row a group."""
    return {
        "groups": lines,
        "group_names": tuple(map(str, range(1, int(lines[-1]) + 2))),
        "group_name": f"lines of {frequency_name!r}",
    }


def with_row_weights(
    data: Dataset,
    *,
    weights: Any = None,
    frequencies: Any = None,
    weight_name: str = "weights",
    frequency_name: str = "frequencies",
) -> Dataset:
    """Return a data set whose rows have sampling weights, or are repeated by frequencies.

    A row of weight w represents w rows of the population. Fits and scores use the weights divided
    by their mean, so only their ratios matter; intervals use the effective number of rows, (Σw)² /
    Σw² (Kish), and account for the association between weights and errors.

    A row of frequency f occurs f times in the returned data set, and its copies are a group, unless
    the data have groups. Rows of weight or frequency zero are left out.

    Parameters
    ----------
    weights, frequencies : array-like of shape (n,), optional
        Nonnegative numbers; frequencies are integers.
    weight_name, frequency_name : str
        Names of the columns.

    Raises
    ------
    DataError
        If values are not valid weights or frequencies, if their number differs from the number of
        rows, if the repeated rows do not fit into memory, or if other rows of the file have already
        been summed.

    Examples
    --------
    >>> import lincore
    >>> data = lincore.load(([[1.0], [2.0], [3.0]], ["b", "a", "a"]))
    >>> with_row_weights(data, weights=[1, 2, 3]).weights
    array([0.5, 1. , 1.5])
    >>> repeated = with_row_weights(data, frequencies=[3, 0, 1])
    >>> repeated.X.ravel().tolist(), repeated.groups.tolist()
    ([1.0, 1.0, 1.0, 3.0], [0, 0, 0, 1])
    """
    if weights is None and frequencies is None:
        return data
    if data.blocks is not None:
        raise DataError(
            "Rows of a file that have already been summed can no longer be weighted.",
            where=data.name,
            remedy="Name the column of weights or frequencies when loading the file.",
        )
    for name, values in ((weight_name, weights), (frequency_name, frequencies)):
        if values is not None and np.shape(values) != (data.n_rows,):
            raise DataError(
                f"There are {data.n_rows:,} rows, and {name} has shape {np.shape(values)}.",
                where=data.name,
                remedy="Give one number for each row.",
            )
    counted = count_rows(
        data.n_rows, weights, frequencies, weight_name, frequency_name,
        width=data.n_features, locate=data_row,
    )  # fmt: skip
    weighted = data.take(counted.rows)
    # Repeating or removing rows changes which classes have a single row.
    former = lone_class_notices(data.codes, data.classes)
    notices = [notice for notice in data.notices if notice not in former]
    notices += [*counted.notices, *lone_class_notices(weighted.codes, weighted.classes)]
    weighted = replace(weighted, notices=tuple(notices))
    if frequencies is not None and data.groups is None:
        weighted = replace(weighted, **line_groups(counted.lines, frequency_name))
    if weights is not None:
        weighted = replace(weighted, weights=counted.weights, weight_name=weight_name)
    return weighted


def effective_number(weight: Array) -> float:
    """Return the effective number of rows for a mean: (Σw)² / Σw²."""
    squares = float((weight**2).sum())
    return float(weight.sum()) ** 2 / squares if squares > 0 else 0.0


def counting(data: Dataset) -> str:
    """Describe the weighting and the effective number of rows; "" without weights.

    Examples
    --------
    >>> import lincore
    >>> counting(lincore.load(([[1.0], [2.0]], ["b", "a"]), weights=[1, 3]))
    "weighted by 'weights', as 1.6 rows of equal weight (Kish)"
    """
    if data.weights is None:
        return ""
    number = effective_number(data.weights)
    return f"weighted by {data.weight_name!r}, as {number:,.1f} rows of equal weight (Kish)"


def zeros_left_out(number: int, n_rows: int, noun: str, name: str) -> list[Notice]:
    """Return a notice about rows with weight or frequency zero, if there are any."""
    return rows_left_out(number, n_rows, f"have {noun} zero", f"column {name!r}", "LIN058")


def weighted_losses(rows: Array, truth: NDArray[np.intp], weight: Array) -> Array:
    """Return losses whose mean over the rows of a class is the weighted mean of the given ones."""
    # The deviation of a row from the weighted mean of its class is multiplied by its weight,
    # relative to the mean weight in the class: then the variance over rows is that of the weighted
    # mean, too.
    number, total = np.bincount(truth), np.bincount(truth, weight)
    relative = weight * (number[truth] / total[truth])
    members = truth[:, None] == np.arange(len(number))
    means = ((rows * weight) @ members)[..., truth] / total[truth]
    return np.asarray(means + relative * (rows - means))
