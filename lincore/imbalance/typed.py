"""Values that are typed into tables: costs of errors, rows to keep; invalid ones are reported."""

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

    kept: dict[int, int]
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
        Of each true class (rows) for each predicted class.
    changes : mapping of (row, column) to number or None
    classes : K labels

    Examples
    --------
    >>> type_costs(usual_costs(2), {(0, 1): -5.0}, ["no", "yes"]).notes
    ("-5 is not a cost: 'no' predicted as 'yes' stays at 1.",)
    """
    found, notes = [list(row) for row in costs], []
    for (i, j), value in changes.items():
        if value is not None and 0 <= value < math.inf:
            found[i][j] = float(value)
            continue
        said = "An empty cell" if value is None else value_text(float(value))
        error = f"{quoted(classes[i])} predicted as {quoted(classes[j])}"
        notes.append(f"{said} is not a cost: {error} stays at {value_text(float(found[i][j]))}.")
    return TypedCosts(found, tuple(notes))


def type_sizes(
    kept: Mapping[int, int],
    counts: Sequence[int],
    changes: Mapping[int, float | None],
    classes: Sequence[object],
) -> TypedSizes:
    """Change how many rows some classes keep, up to the number available.

    Parameters
    ----------
    kept : mapping of int to int
        Rows to keep by code; other classes keep all.
    counts : K ints
    changes : mapping of int to number or None
        Rows to keep by code; None keeps all.
    classes : K labels

    Examples
    --------
    >>> type_sizes({}, [40, 30], {0: 50, 1: 10}, ["no", "yes"])
    TypedSizes(kept={1: 10}, notes=('no has only 40 training rows: all are kept.',))
    """
    found, notes = dict(kept), []
    for code, wanted in changes.items():
        n, name = int(counts[code]), str(classes[code])
        if wanted is None:
            found[code] = n
            notes.append(f"{name}: an empty cell keeps all {count(n, 'training row')}.")
        elif not wanted >= 1:
            now = f"{found.get(code, n):,}"
            wrong = value_text(float(wanted))
            notes.append(f"{name} cannot keep {wrong} rows (minimum 1). It stays at {now}.")
        else:
            found[code] = min(int(wanted), n)
            if wanted > n:
                notes.append(f"{name} has only {count(n, 'training row')}: all are kept.")
    reduced = {code: n for code, n in sorted(found.items()) if n < counts[code]}
    return TypedSizes(reduced, tuple(notes))
