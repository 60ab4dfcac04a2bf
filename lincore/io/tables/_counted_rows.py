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
    """Weights and copies of the held rows.

    Attributes
    ----------
    lines : ndarray of shape (n,) or None
        Positions of the held rows, each as often as it is to stand among them; None for once.
    weights : ndarray of shape (n,) or None
        Of these rows, with mean 1; None where there are none.
    unit : float
        What the file calls a weight of 1.
    """

    lines: NDArray[np.intp] | None
    weights: Array | None
    unit: float


class CountedRows:
    """Weights and frequencies of rows that are read in blocks, some of them held.

    Parameters
    ----------
    weight, frequency : str
        Columns; "" where there is none.
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
        """Look at a block of rows; return which are kept: those that count something."""
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
        """As how many rows each kept row of the block is summed; None where each counts once."""
        found = list(self._block.values())
        return None if not found else np.prod(found, axis=0)

    def hold(self, held: Flags, codes: NDArray[np.intp]) -> None:
        """Remember what the held rows of the block count, and how many are summed by class."""
        for name, values in self._block.items():
            self._held[name].append(values[held])
        often = self._block.get(self.frequency)
        self._summed.append(np.bincount(codes[~held], None if often is None else often[~held]))

    def held(self, width: int) -> HeldCounts:
        """Return what all held rows count."""
        found = {name: np.concatenate(parts) for name, parts in self._held.items() if parts}
        often, weights, lines = found.get(self.frequency), found.get(self.weight), None
        if often is not None:
            check_repeated(float(often.sum()), self.frequency, width)
            lines = np.repeat(np.arange(len(often)), often.astype(np.intp))
            weights = None if weights is None else weights[lines]
        unit = 1.0 if weights is None else float(weights.mean())
        return HeldCounts(lines, None if weights is None else weights / unit, unit)

    def summed(self, n_codes: int) -> NDArray[np.intp]:
        """Return how many rows of each class are summed, (n_codes,), copies included."""
        total = np.zeros(n_codes)
        for part in self._summed:
            total[: len(part)] += part
        return total.astype(np.intp)

    def notices(self, n_rows: int) -> list[Notice]:
        """Say how many rows count nothing and were left out."""
        words = ((self.weight, "weight"), (self.frequency, "frequency"))
        return [
            notice
            for name, what in words
            if name
            for notice in zeros_left_out(self._zeros[name], n_rows, what, name)
        ]
