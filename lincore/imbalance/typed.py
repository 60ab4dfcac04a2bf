"""Validation of values typed into tables: costs of errors, rows to keep."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from lincore.utils.formatting import count, quoted, value_text


class TypedCosts(NamedTuple):
    """Costs by true and predicted class, and sentences on refused entries."""

    costs: list[list[float]]
    notes: tuple[str, ...]


class TypedSizes(NamedTuple):
    """Rows to keep by code of a reduced class, and sentences on changed entries."""

    sizes: dict[int, int]
    notes: tuple[str, ...]


def usual_costs(n_classes: int) -> list[list[float]]:
    """Return a cost of 1 for every error."""
    return [[float(i != j) for j in range(n_classes)] for i in range(n_classes)]


def costs_of(costs: Sequence[float], n_classes: int) -> list[list[float]]:
    """Return costs (K, K) that are written row by row; those of `usual_costs` if they do not fit.

    Examples
    --------
    >>> costs_of((0, 1, 4, 0), 2), costs_of((), 2)
    ([[0.0, 1.0], [4.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]])
    """
    if len(costs) != n_classes**2 or not all(map(math.isfinite, costs)):
        return usual_costs(n_classes)
    return [[float(c) for c in costs[k : k + n_classes]] for k in range(0, len(costs), n_classes)]


def type_costs(
    costs: Sequence[Sequence[float]],
    changes: Mapping[tuple[int, int], Any],
    classes: Sequence[object],
) -> TypedCosts:
    """Change costs of errors; invalid entries are reported and ignored.

    Parameters
    ----------
    costs : (K, K) numbers
        Costs of predicting each class (columns) if each class is true (rows).
    changes : mapping of (row, column) to number or None
    classes : K labels

    Examples
    --------
    >>> type_costs(usual_costs(2), {(0, 1): -5.0}, ["no", "yes"]).notes
    ("-5 is not a cost: 'no' predicted as 'yes' stays at 1.",)
    """
    table, notes = [list(row) for row in costs], []
    for (i, j), value in changes.items():
        if value is not None and 0 <= value < math.inf:
            table[i][j] = float(value)
            continue
        typed = "An empty cell" if value is None else value_text(float(value))
        error = f"{quoted(classes[i])} predicted as {quoted(classes[j])}"
        notes.append(f"{typed} is not a cost: {error} stays at {value_text(float(table[i][j]))}.")
    return TypedCosts(table, tuple(notes))


def type_sizes(
    sizes: Mapping[int, int],
    counts: Sequence[int],
    changes: Mapping[int, float | None],
    classes: Sequence[object],
) -> TypedSizes:
    """Change how many rows some classes keep, up to the number available.

    Parameters
    ----------
    sizes : mapping of int to int
        Rows to keep by code; other classes keep all.
    counts : K ints
    changes : mapping of int to number or None
        Rows to keep by code; None keeps all.
    classes : K labels

    Examples
    --------
    >>> type_sizes({}, [40, 30], {0: 50, 1: 10}, ["no", "yes"])
    TypedSizes(sizes={1: 10}, notes=("'no' has only 40 training rows: all are kept.",))
    """
    changed, notes = dict(sizes), []
    for code, wanted in changes.items():
        n, name = int(counts[code]), quoted(classes[code])
        if wanted is None:
            changed[code] = n
            notes.append(f"{name}: an empty cell keeps all {count(n, 'training row')}.")
        elif not wanted >= 1:
            refused, size = value_text(float(wanted)), f"{changed.get(code, n):,}"
            notes.append(f"{name} cannot keep {refused} rows (minimum 1). It stays at {size}.")
        else:
            changed[code] = min(int(wanted), n)
            if wanted > n:
                notes.append(f"{name} has only {count(n, 'training row')}: all are kept.")
    reduced = {code: n for code, n in sorted(changed.items()) if n < counts[code]}
    return TypedSizes(reduced, tuple(notes))
