"""Which columns and rows of a table are used, and what is said of those that are not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lincore.errors import DataError, Notice, Remedy
from lincore.files.columns import REASONS, ROLES, Column, Kind, describe_columns
from lincore.files.features import merge_labels
from lincore.files.labels import columns_named, find_label_column

if TYPE_CHECKING:
    from lincore.tables import Table

_MOST_REMEDIES = 5
_REMEDIES: Mapping[Kind, str] = {
    "empty": "Fill the column in, or delete it.",
    "constant": "Nothing needs to be done: it cannot tell classes apart.",
    "identifier": "If it measures something, make it a feature.",
    "date": "Make it a feature to use it as a number of days.",
    "text": "Make it text to count its words.",
}


def choose_roles(
    table: Table,
    target: str | int | None = None,
    roles: Mapping[str, str] | None = None,
    categories: Sequence[str] = (),
) -> tuple[Column, ...]:
    """Return the columns with the roles that were asked for, and those proposed for the others.

    Raises
    ------
    DataError
        When there is no such column, role or target, or more than one target or group.
    """
    roles = dict(roles or {})
    for name in (*roles, *categories):
        find_label_column(table.frame, name, table.name)
    unknown = [role for role in roles.values() if role not in ROLES]
    if unknown:
        raise DataError(
            f"There is no role {unknown[0]!r}.",
            where="option roles",
            remedy=f"Choose among: {', '.join(ROLES)}.",
        )
    if target is None:
        target = next((name for name, role in roles.items() if role == "target"), None)
    target = table.proposed if target is None else target
    label = find_label_column(table.frame, target, table.name)
    named = [name for name, role in roles.items() if role == "target" and name != label]
    grouped = [name for name, role in roles.items() if role == "group"]
    if named or len(grouped) > 1:
        raise DataError(
            "There can be one target and one column of groups.",
            where=columns_named([label, *named] if named else grouped),
            remedy="Give the others another role.",
        )
    roles[label] = "target"
    return tuple(
        _with_role(column, roles.get(column.name, column.role), column.name in categories)
        for column in describe_columns(table, label)
    )


def _with_role(column: Column, role: Any, as_category: bool) -> Column:
    kind = column.kind
    if as_category:
        kind, role = "category", "feature" if role == "ignore" else role
    return column._replace(kind=kind, role=role, reason=column.reason if role == "ignore" else "")


class Kept(NamedTuple):
    """Which of n rows are used, (n,) bool, and why the others are not."""

    rows: NDArray[np.bool_]
    notices: list[Notice]


def keep_rows(
    table: Table,
    label: str,
    used: Sequence[Column],
    missing: str,
    drop_classes: Sequence[Any],
    drop_duplicates: bool,
) -> Kept:
    """Return which rows are used, and say why the others are not.

    Parameters
    ----------
    table : Table
    label : str
        The target.
    used : sequence of Column
        The features.
    missing, drop_classes, drop_duplicates
        As for `lincore.tables.table_to_dataset`.

    Raises
    ------
    DataError
        When no row is left, or there is no such way to fill in.
    """
    if missing not in ("median", "most_frequent", "indicator", "drop"):
        raise DataError(
            f"No way to fill in is called {missing!r}.",
            where="option missing",
            remedy="Choose among: median, most_frequent, indicator, drop.",
        )
    frame, names = table.frame, [column.name for column in used]
    labels = frame[label]
    kept = labels.notna().to_numpy(dtype=bool)
    notices = _told(~kept, len(kept), "have no value in the target", f"column {label!r}")
    if drop_classes:
        dropped = kept & merge_labels(labels, {}).isin([str(c) for c in drop_classes]).to_numpy()
        kept = kept & ~dropped
    if drop_duplicates:
        again = kept & frame[[*names, label]].duplicated().to_numpy()
        notices += _told(again, len(kept), "repeat another one", table.name)
        kept = kept & ~again
    if missing == "drop":
        gaps = kept & frame[names].isna().any(axis=1).to_numpy()
        notices += _told(gaps, len(kept), "have a missing value", table.name)
        kept = kept & ~gaps
    if not kept.any() and labels.notna().any():
        raise DataError(
            "No row is left.",
            where=table.name,
            remedy="Fill missing values in, or ignore the columns that are mostly missing.",
        )
    return Kept(kept, notices)


def _told(out: NDArray[np.bool_], n_rows: int, why: str, where: str) -> list[Notice]:
    if not out.any():
        return []
    remedy = "Fill the class in to use these rows." if "target" in why else ""
    return [Notice(f"{out.sum():,} of {n_rows:,} rows {why} and were left out.", where, remedy)]


def left_out(columns: Sequence[Column]) -> list[Notice]:
    """Say which columns are ignored because of what they hold."""
    notices = []
    for kind, reason in REASONS.items():
        of_kind = [column for column in columns if column.kind == kind and column.reason]
        names = [column.name for column in of_kind]
        if names:
            said = f"Left out: {of_kind[0].reason if len(of_kind) == 1 else reason}."
            notices.append(Notice(said, columns_named(names), _REMEDIES[kind]))
    return notices


def no_feature(table: Table, columns: Sequence[Column]) -> DataError:
    """Return the error for a table without any feature."""
    others = [column for column in columns if column.role != "target"]
    found = ", ".join(
        f"{kind}: {count}" for kind in REASONS if (count := sum(c.kind == kind for c in others))
    )
    return DataError(
        f"No feature is left besides the target ({found or 'all are ignored'}).",
        where=f"{table.name}, {columns_named([column.name for column in others])}",
        remedy="Make a column a feature or text, or add one.",
        remedies=tuple(
            Remedy(f"Use {column.name!r} as a number of days", {column.name: "feature"})
            for column in others[:_MOST_REMEDIES]
            if column.kind == "date"
        ),
    )
