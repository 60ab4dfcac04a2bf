"""Weights and frequencies of rows: validation and application to a data set."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lincore.data.dataset import Dataset
from lincore.data.labels import lone_class_notices, rows_left_out
from lincore.errors import DataError, Notice
from lincore.limits import LIMITS
from lincore.utils.typing import Array, Flags

#: Describes the location of a row, counted from 0.
Place = Callable[[int], str]
# Larger integers are not exact as floats.
_LARGEST = 2**53
_ENOUGH = "Correct it, leave such rows out, or give the column another role."


def data_row(row: int) -> str:
    """Describe the location of a row of an array, counted from 1."""
    return f"data row {row + 1}"


def checked_weights(
    values: Any, name: str, place: Place = data_row, *, is_part: bool = False
) -> Array:
    """Return weights of rows (n,) as float64."""
    return _checked(values, name, "weight", place, is_part)


def checked_frequencies(
    values: Any, name: str, place: Place = data_row, *, width: int = 1, is_part: bool = False
) -> NDArray[np.intp]:
    """Return frequencies of rows (n,) as integers."""
    found = _checked(values, name, "frequency", place, is_part)
    broken = found != np.round(found)
    if broken.any():
        row = int(broken.argmax())
        raise DataError(
            f"The frequency {found[row]:g} is not a whole number.",
            where=f"column {name!r}, {place(row)}",
            remedy="A frequency counts equal rows; for sampling weights use the role weight.",
        )
    if (found > _LARGEST).any():
        row = int(found.argmax())
        raise DataError(
            f"The frequency {found[row]:g} is too large to be a number of rows.",
            where=f"column {name!r}, {place(row)}",
            remedy="Use the column as weights.",
        )
    if not is_part:
        check_repeated(float(found.sum()), name, width)
    return found.astype(np.intp)


def check_repeated(total: float, name: str, width: int) -> None:
    """Reject more repeated rows than fit into memory."""
    most = min(LIMITS.max_rows, LIMITS.max_cells // max(width, 1))
    if total > most:
        raise DataError(
            f"The frequencies add up to {total:,.0f} rows; at most {most:,} are allowed.",
            where=f"column {name!r}",
            remedy="Divide them by a common factor, or use the column as weights.",
        )


def _checked(values: Any, name: str, what: str, place: Place, is_part: bool) -> Array:
    given = np.asarray(values)
    if given.dtype.kind not in "iufb":
        raise _not_numbers(given, name, what, place)
    found = given.astype(np.float64)
    for wrong, why in (
        (np.isnan(found), "is missing"),
        (np.isinf(found), "is infinite"),
        (found < 0, "is negative"),
    ):
        if wrong.any():
            row = int(wrong.argmax())
            value = "" if why == "is missing" else f" {found[row]:g}"
            where = f"column {name!r}, {place(row)}"
            raise DataError(f"The {what}{value} {why}.", where=where, remedy=_ENOUGH)
    if len(found) and not found.any() and not is_part:
        raise DataError(
            f"Every {what} is zero: no rows would remain.",
            where=f"column {name!r}",
            remedy="Give the column another role.",
        )
    return found


def _not_numbers(given: NDArray[Any], name: str, what: str, place: Place) -> DataError:
    for row, value in enumerate(given.tolist()):
        try:
            float(value)
        except (TypeError, ValueError):
            missing = value is None or str(value) in ("nan", "<NA>", "NaT")
            sentence = f"The {what} is missing." if missing else f"{str(value)!r} is no {what}."
            return DataError(sentence, where=f"column {name!r}, {place(row)}", remedy=_ENOUGH)
    remedy = f"Give numbers, or give the column another role than {what}."
    return DataError(f"It holds text, no {what}.", where=f"column {name!r}", remedy=remedy)


def with_row_weights(
    data: Dataset,
    *,
    weights: Any = None,
    frequencies: Any = None,
    weight_name: str = "weights",
    frequency_name: str = "frequencies",
    place: Place = data_row,
) -> Dataset:
    """Return a data set with sampling weights, or with rows repeated by frequency.

    A row of weight w represents w rows of the population. Fits and scores use the weights divided
    by their mean, so only their ratios matter; intervals use the effective number of rows, (Σw)² /
    Σw² (Kish), and account for the association between weights and errors.

    A row of frequency f is repeated f times in the returned data set. Fits, scores and intervals
    are those of the repeated rows. Splits keep the copies of a row together, by `Dataset.lines`.
    Rows of weight or frequency zero are left out.

    Parameters
    ----------
    data : Dataset
    weights, frequencies : array-like of shape (n,), optional
        See `checked_weights` and `checked_frequencies`.
    weight_name, frequency_name : str
        Of the columns.
    place : callable
        Describes the location of a row.

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
    >>> repeated.X.ravel().tolist(), repeated.lines.tolist()
    ([1.0, 1.0, 1.0, 3.0], [0, 0, 0, 1])
    """
    if data.streamed is not None and not (weights is None and frequencies is None):
        raise DataError(
            "Rows of a file that have already been summed cannot be weighted any more.",
            where=data.name,
            remedy="Name the column of weights or frequencies when loading the file.",
        )
    if weights is not None:
        weights = checked_weights(_one_each(data, weights, weight_name), weight_name, place)
        name, kept = weight_name, weights > 0
        data, weights, frequencies = _without(data, kept, name, "weight", weights, frequencies)
        data = replace(data, weights=weights / weights.mean(), weight_name=name)
    if frequencies is None:
        return data
    frequencies = _one_each(data, frequencies, frequency_name)
    found = checked_frequencies(frequencies, frequency_name, place, width=data.n_features)
    data, found, _ = _without(data, found > 0, frequency_name, "frequency", found, None)
    return _repeated(data, found, frequency_name)


def _repeated(data: Dataset, frequencies: NDArray[np.intp], name: str) -> Dataset:
    lines = np.repeat(np.arange(data.n_rows), frequencies)
    repeated = data.take(lines)
    # A class with one line may have several rows now.
    former = lone_class_notices(data.codes, data.classes)
    notices = [notice for notice in data.notices if notice not in former]
    notices += lone_class_notices(repeated.codes, repeated.classes)
    return replace(repeated, lines=lines, frequency_name=name, notices=tuple(notices))


def effective_number(weight: Array) -> float:
    """Return the effective number of rows for a mean: (Σw)² / Σw²."""
    squares = float((weight**2).sum())
    return float(weight.sum()) ** 2 / squares if squares > 0 else 0.0


def counting(data: Dataset) -> str:
    """Describe the weight and frequency columns and their effect; "" if rows are unweighted.

    Examples
    --------
    >>> import lincore
    >>> counting(lincore.load(([[1.0], [2.0]], ["b", "a"]), weights=[1, 3], frequencies=[2, 1]))
    "2 lines repeated by 'frequencies'; weighted by 'weights', as 2.3 rows of equal weight (Kish)"
    """
    parts = []
    if data.lines is not None:
        n_lines = len(np.unique(data.lines))
        parts.append(f"{n_lines:,} line{'s' * (n_lines != 1)} repeated by {data.frequency_name!r}")
    if data.weights is not None:
        number = effective_number(data.weights)
        parts.append(
            f"weighted by {data.weight_name!r}, as {number:,.1f} rows of equal weight (Kish)"
        )
    return "; ".join(parts)


def zeros_left_out(count: int, n_rows: int, what: str, name: str) -> list[Notice]:
    """Return a notice about rows with weight or frequency zero, if there are any."""
    return rows_left_out(count, n_rows, f"have {what} zero", f"column {name!r}", "LIN058")


def _one_each(data: Dataset, values: Any, name: str) -> NDArray[Any]:
    given = np.asarray(values)
    if given.shape != (data.n_rows,):
        raise DataError(
            f"There are {data.n_rows:,} rows, and {name} has shape {given.shape}.",
            where=data.name,
            remedy="Give one number for each row.",
        )
    return given


def _without(
    data: Dataset, kept: Flags, name: str, what: str, found: NDArray[Any], other: Any
) -> tuple[Dataset, NDArray[Any], Any]:
    """Leave rows of weight or frequency zero out of the data and of both columns."""
    if kept.all():
        return data, found, other
    notices = zeros_left_out(int((~kept).sum()), data.n_rows, what, name)
    other = None if other is None else _one_each(data, other, "frequencies")[kept]
    return replace(data.take(kept), notices=(*data.notices, *notices)), found[kept], other


def weighted_losses(rows: Array, truth: NDArray[np.intp], weight: Array) -> Array:
    """Return losses whose mean over the rows of a class is the weighted mean of the given ones.

    The deviation of a row from the weighted mean of its class is multiplied by its weight, relative
    to the mean weight in the class: then the variance over rows is that of the weighted mean, too.
    """
    number, total = np.bincount(truth), np.bincount(truth, weight)
    relative = weight * (number[truth] / total[truth])
    members = truth[:, None] == np.arange(len(number))
    means = ((rows * weight) @ members)[..., truth] / total[truth]
    return np.asarray(means + relative * (rows - means))
