"""Weights and frequencies of the rows of a large table, block by block."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.data.labels import is_number
from lincore.data.row_weights import (
    check_repeated,
    checked_frequencies,
    checked_weights,
    zeros_left_out,
)
from lincore.errors import Notice
from lincore.utils.typing import Array, Flags


class HeldCounts(NamedTuple):
    """Weights and copies of the rows in memory.

    Attributes
    ----------
    lines : ndarray of shape (n,) or None
        Positions of the rows in memory, repeated by frequency; None if each occurs once.
    weights : ndarray of shape (n,) or None
        Weights of these rows, with mean 1; None if there are none.
    unit : float
        The weight in the file that corresponds to 1.
    """

    lines: NDArray[np.intp] | None
    weights: Array | None
    unit: float


class CountedRows:
    """Weights and frequencies of rows that are read in blocks, some of them kept in memory.

    Parameters
    ----------
    weight, frequency : str
        Columns; "" if there is none.
    """

    def __init__(self, weight: str = "", frequency: str = "") -> None:
        self.weight, self.frequency = weight, frequency
        self._zeros = {weight: 0, frequency: 0}
        self._block: dict[str, Array] = {}
        self._held: dict[str, list[Array]] = {name: [] for name in self.names}
        self._summed: list[NDArray[Any]] = []

    @property
    def names(self) -> list[str]:
        """The columns that are needed."""
        return [name for name in (self.weight, self.frequency) if name]

    def counted(self, frame: pd.DataFrame, kept: Flags, n_before: int) -> Flags:
        """Process a block of rows; return which have positive weight."""
        rows, found = np.flatnonzero(kept), {}

        def place(row: int) -> str:
            return f"data row {n_before + int(rows[row]) + 1:,}"

        for name in self.names:
            column = frame[name].iloc[rows]
            given: Any = column.to_numpy()
            if is_number(column):
                given = column.to_numpy(dtype=np.float64, na_value=np.nan)
            check = checked_weights if name == self.weight else checked_frequencies
            found[name] = np.asarray(check(given, name, place, is_part=True), dtype=float)
            counts = found[name] > 0
            self._zeros[name] += int((~counts).sum())
            rows = rows[counts]
            found = {known: values[counts] for known, values in found.items()}
        self._block = found
        counted = np.zeros(len(kept), dtype=bool)
        counted[rows] = True
        return counted

    @property
    def multiples(self) -> Array | None:
        """Weight with which each kept row of the block is summed; None if each counts once."""
        found = list(self._block.values())
        return None if not found else np.prod(found, axis=0)

    def hold(self, held: Flags, codes: NDArray[np.intp]) -> None:
        """Store the weights of rows in memory, and the numbers of summed rows by class."""
        for name, values in self._block.items():
            self._held[name].append(values[held])
        often = self._block.get(self.frequency)
        self._summed.append(np.bincount(codes[~held], None if often is None else often[~held]))

    def held(self, width: int) -> HeldCounts:
        """Return the weights of all rows in memory."""
        found = {name: np.concatenate(parts) for name, parts in self._held.items() if parts}
        often, weights, lines = found.get(self.frequency), found.get(self.weight), None
        if often is not None:
            check_repeated(float(often.sum()), self.frequency, width)
            lines = np.repeat(np.arange(len(often)), often.astype(np.intp))
            weights = None if weights is None else weights[lines]
        unit = 1.0 if weights is None else float(weights.mean())
        return HeldCounts(lines, None if weights is None else weights / unit, unit)

    def summed(self, n_codes: int) -> NDArray[np.intp]:
        """Return the number of summed rows of each class, (n_codes,), including copies."""
        total = np.zeros(n_codes)
        for part in self._summed:
            total[: len(part)] += part
        return total.astype(np.intp)

    def notices(self, n_rows: int) -> list[Notice]:
        """Report how many rows with weight zero were left out."""
        words = ((self.weight, "weight"), (self.frequency, "frequency"))
        return [
            notice
            for name, what in words
            if name
            for notice in zeros_left_out(self._zeros[name], n_rows, what, name)
        ]
