"""Binning of a numeric target into classes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.errors import DataError
from lincore.utils.typing import Array


class Bins(NamedTuple):
    """Binning of a quantity, with equal numbers of rows ("quantile") or equal widths ("width").

    Parameters
    ----------
    n : int
        Number of classes, from 2 to 50.
    how : {"quantile", "width"}
    """

    n: int = 3
    how: Literal["quantile", "width"] = "quantile"


#: The number of classes, or the bounds between them.
Binning: TypeAlias = Bins | int | Sequence[float]


class Binned(NamedTuple):
    """Classes of a quantity."""

    codes: NDArray[np.intp]  # (n,)
    # (K,), named by their bounds, from low to high. With ties there may be fewer than requested.
    classes: NDArray[Any]
    # Between the classes; a value equal to a bound belongs to the class above.
    bounds: tuple[float, ...]


def bin_values(values: Array, bins: Binning, where: str) -> Binned:
    """Bin a quantity into classes."""
    if not np.isfinite(values).all():
        raise DataError("A value is infinite.", where=where, remedy="Correct it.")
    if isinstance(bins, (Bins, int, np.integer)):
        bounds = _spaced_bounds(values, bins)
        problem = "Almost all values are the same"
        remedy = "Bin by width, or choose another target."
    else:
        bounds = np.unique(np.asarray(bins, dtype=np.float64))
        problem = "No threshold is between the values"
        remedy = f"Choose one above {values.min():g} and up to {values.max():g}."
    codes = np.searchsorted(bounds, values, side="right")
    # Classes left empty by ties or rounding are dropped.
    used, codes = np.unique(codes, return_inverse=True)
    if len(used) < 2:
        raise DataError(f"{problem}: only one class would be left.", where=where, remedy=remedy)
    bounds = bounds[used[1:] - 1]
    return Binned(codes.astype(np.intp), np.array(_names(bounds)), tuple(bounds.tolist()))


def _spaced_bounds(values: Array, bins: Bins | int | np.integer) -> Array:
    """Return bounds for equal numbers of rows or equal widths."""
    n, method = bins if isinstance(bins, Bins) else (bins, "quantile")
    if method not in ("quantile", "width") or not 2 <= n <= 50:
        raise DataError(
            f"{n} bins by {method!r} are not possible.",
            where="option bins",
            remedy="Give a number from 2 to 50, and quantile or width.",
        )
    shares = np.linspace(0, 1, n + 1)[1:-1]
    low, high = values.min(), values.max()
    bounds = np.quantile(values, shares) if method == "quantile" else low + shares * (high - low)
    # Rounded to as few digits as leave every row on its side.
    ordered = np.sort(values)
    return np.array([_rounded(float(bound), ordered) for bound in np.unique(bounds)])


def name_bins(values: pd.Series[Any], bounds: Sequence[float]) -> pd.Series[Any]:
    """Return the class name of each value, using given bounds."""
    numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    names = np.array([*_names(np.asarray(bounds)), None], dtype=object)
    places = np.searchsorted(bounds, numbers, side="right")
    places[np.isnan(numbers)] = len(names) - 1
    return pd.Series(names[places], dtype=object, index=values.index, name=values.name)


def _rounded(bound: float, ordered: Array) -> float:
    below = np.searchsorted(ordered, bound)
    for digits in range(1, 17):
        near = float(f"{bound:.{digits}g}")
        step = 10.0 ** (np.floor(np.log10(abs(bound))) - digits + 1) if bound else 1.0
        for short in (near, float(f"{near + step:.{digits}g}")):
            if np.searchsorted(ordered, short) == below:
                return short
    return bound


def _names(bounds: Array) -> list[str]:
    written = [f"{bound:.15g}" for bound in bounds]
    between = [f"{low} to below {high}" for low, high in zip(written, written[1:], strict=False)]
    return [f"below {written[0]}", *between, f"{written[-1]} and above"]
