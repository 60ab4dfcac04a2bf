"""Description of the data before anything is fitted: one line, a record, the data checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import lincore
from lincore.data import counting
from lincore.errors import DataError
from lincore.utils import count, listed


def data_line(data: lincore.Dataset) -> str:
    """Return name, rows, features and classes in one line."""
    counts = [f"{label} {n:,}" for label, n in zip(data.classes.tolist(), data.counts, strict=True)]
    more = [f"{len(counts) - 6} more"] if len(counts) > 6 else []
    by = f" by {data.target_name}" if data.target_name else ""
    counted = f"; {how}" if (how := counting(data)) else ""
    return (
        f"{data.name}: {data.n_rows:,} {data.kind.rows} of {count(data.n_features, 'feature')}"
        f"{', with missing values' if data.has_missing else ''}; {data.n_classes} classes{by} "
        f"({', '.join(counts[:6] + more)}){counted}"
    )


def data_record(data: lincore.Dataset) -> dict[str, Any]:
    """Return the same for programs, with the digest of the content."""
    return {
        "name": data.name,
        "rows": data.n_rows,
        "features": data.n_features,
        "target": data.target_name,
        "classes": {
            str(label): int(n) for label, n in zip(data.classes.tolist(), data.counts, strict=True)
        },
        "digest": data.digest,
    }


def finding_sentences(data: lincore.Dataset) -> tuple[str, ...]:
    """Return the findings that touch every score: guessed target, leakage, duplicates, groups."""
    try:
        found = lincore.data_checks(data, lincore.split(data))
    except DataError:  # no test set can be drawn; a comparison says why by itself
        return ()
    return tuple(finding.sentence for finding in found)


def class_named(labels: Sequence[Any], name: str) -> Any:
    """Return the label that is written so."""
    for label in labels:
        if str(label) == name:
            return label
    known = listed([str(label) for label in labels], most=10)
    raise DataError(
        "There is no such class.", where=f"class {name!r}", remedy=f"There are {known}."
    )
