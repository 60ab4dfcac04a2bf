"""Roles of columns and selection of rows, with a reason for each exclusion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from lincore.data.frames import columns_named, is_number
from lincore.data.labels import find_label_column, rows_left_out
from lincore.data.target_guess import refuse_counted
from lincore.errors import DataError, Hint, Notice, not_among
from lincore.io.tables.column_changes import marked_labels
from lincore.io.tables.column_roles import (
    COLUMN_ROLES,
    EXCLUSION_REASONS,
    UNIQUE_ROLES,
    Column,
    Content,
    Kind,
    Role,
)
from lincore.io.tables.features import merge_labels
from lincore.io.tables.repeated_ids import names_subjects
from lincore.io.tables.table import AS_PROPOSED, Table, TableOptions
from lincore.utils.typing import Flags

_MOST_REMEDIES = 5
_MEASURED = ("target", "feature")
_DECLARED = "declared in the file not to be a feature"
# A cross or nothing, as in exports of checkboxes.
_MARKS = "If a blank means no, make it a feature: whether it is blank is then used."
_REMEDIES: Mapping[Kind, str] = {
    "empty": "Fill in the column, or delete it.",
    "constant": "No action is needed: it cannot separate the classes.",
    "identifier": "If it is a measurement, make it a feature.",
    "date": "Make it a feature to use it as a number of days.",
    "text": "Make it text to count its words.",
}


def describe_columns(table: Table, target: str | None = None) -> tuple[Column, ...]:
    r"""Describe the content and the proposed role of every column.

    Parameters
    ----------
    table : Table
    target : str, optional
        The column of the classes; guessed by default.

    Returns
    -------
    tuple of Column
        In the order of the table. Numbers and categories are features; text is a feature only if
        there is nothing else.

    Raises
    ------
    DataError
        If there is no such column; the message lists the columns.

    Examples
    --------
    >>> from lincore.io.table_files import read_table
    >>> raw = b"id,size,sex,class\n7,1.5,m,a\n8,2.5,f,b\n9,2.5,m,a\n10,3.5,f,b\n"
    >>> for column in describe_columns(read_table(raw, "made.csv")):
    ...     print(column.name, column.kind, column.role)
    id identifier ignore
    size number feature
    sex category feature
    class category target
    """
    frame = table.frame
    target = table.proposed if target is None else find_label_column(frame, target, table.name)
    contents = table.contents
    kinds = {name: content.kind for name, content in contents.items()}
    if target is not None and kinds[target] in ("identifier", "text", "date"):
        kinds[target] = "number" if is_number(frame[target]) else "category"
    roles: dict[str, Role] = {
        name: "feature" if kind in ("number", "category") else "ignore"
        for name, kind in kinds.items()
    }
    declared = {name: role for name, role in table.roles.items() if role not in _MEASURED}
    roles |= declared
    for name, role in table.roles.items():
        if role == "feature" and kinds[name] == "identifier":
            kinds[name], roles[name] = "number", "feature"
    if target is not None:
        roles[target] = "target"
    _find_some_feature(frame, kinds, roles, declared)
    # Rows of a file that is read in blocks cannot be kept together.
    if "feature" in roles.values() and "group" not in declared.values() and table.source is None:
        rows = frame if table.whole is None else table.whole.frame
        undeclared = {name: kind for name, kind in kinds.items() if name not in table.roles}
        group = _find_group(rows, undeclared, roles)
        roles |= {group: "group"} if group else {}
    return tuple(
        Column(
            name,
            kinds[name],
            roles[name],
            *content[1:],
            reason=_reason(frame[name], kinds[name], content, table.roles.get(name, ""))
            if roles[name] == "ignore"
            else "",
        )
        for name, content in contents.items()
    )


def _find_group(frame: pd.DataFrame, kinds: dict[str, Kind], roles: dict[str, Role]) -> str:
    """Return the column that names subjects with several rows each, by its name or its values."""
    # If such an identifier is not used as a group, models are tested on subjects seen in training.
    n_features = list(roles.values()).count("feature")
    for name, kind in kinds.items():
        has_others = n_features > (roles[name] == "feature")
        is_free = roles[name] in ("feature", "ignore")
        if is_free and has_others and names_subjects(frame[name], kind):
            return name
    return ""


def _reason(values: pd.Series[Any], kind: Kind, content: Content, declared: str) -> str:
    """Explain why ignoring a column is proposed."""
    if declared == "ignore":
        return _DECLARED
    n_present, n_distinct = len(values) - content.n_missing, content.n_distinct
    if kind == "constant" and not content.n_missing:
        return "the same value in every row"
    if kind != "identifier":
        return EXCLUSION_REASONS[kind]
    if n_distinct == n_present:
        which = "every row" if not content.n_missing else "every row with a value"
        return f"a distinct value in {which} (identifier)"
    if is_number(values):
        if 2 * n_distinct < n_present:
            return "row numbers (identifier)"
        return f"{n_distinct:,} distinct numbers in {n_present:,} rows (identifier)"
    rows = f"{n_distinct:,} distinct values in {n_present:,} rows"
    return f"{rows}, too many for categories (identifier)"


def _find_some_feature(
    frame: pd.DataFrame,
    kinds: dict[str, Kind],
    roles: dict[str, Role],
    declared: Mapping[str, Role],
) -> None:
    """If there is no feature, use the words of a text, or else a row counter."""
    if "feature" in roles.values():
        return
    spare = [name for name, role in roles.items() if role == "ignore" and name not in declared]
    texts = [name for name in spare if kinds[name] == "text"]
    full = [name for name in texts if 2 * int(frame[name].notna().sum()) >= len(frame)]
    # In a handful of made-up rows a measurement may well run 1, 2, 3.
    counters = [name for name in spare if kinds[name] == "identifier" and is_number(frame[name])]
    for name in counters if not texts else ():
        kinds[name], roles[name] = "number", "feature"
    for name in full or texts:
        roles[name] = "text"


def choose_roles(
    table: Table, target: str | int | None = None, options: TableOptions = AS_PROPOSED
) -> tuple[Column, ...]:
    """Return the columns with requested roles, and proposed roles for the others.

    Parameters
    ----------
    table : Table
    target : str or int, optional
        Name or position of the column of the classes.
    options : TableOptions
        Its `roles` replace the proposed ones; its `categories` are treated as categorical.

    Returns
    -------
    tuple of Column
        One for each column of the table, in its order.

    Raises
    ------
    DataError
        If there is no such column, role or target, or more than one target, group, weight or
        frequency.
    """
    roles: dict[str, Any] = dict(options.roles)
    for name in (*roles, *options.categories):
        find_label_column(table.frame, name, table.name)
    unknown = [role for role in roles.values() if role not in COLUMN_ROLES]
    if unknown:
        raise not_among(f"There is no role {unknown[0]!r}.", "option roles", COLUMN_ROLES)
    if target is None:
        target = next((name for name, role in roles.items() if role == "target"), None)
    target = table.proposed if target is None else target
    if target is None and (error := marked_labels(table.frame, [*table.frame], table.name)):
        raise error
    if options.bins is None:
        asked = None if target is None else find_label_column(table.frame, target, table.name)
        refuse_counted(table.frame, asked, table.name)
    label = find_label_column(table.frame, target, table.name)
    named = [name for name, role in roles.items() if role == "target" and name != label]
    several = [label, *named] if named else []
    for unique in UNIQUE_ROLES[1:]:
        columns = [name for name, role in roles.items() if role == unique and name != label]
        several = several or (columns if len(columns) > 1 else [])
    if several:
        raise DataError(
            "There can be only one target, and one column each of groups, weights and frequencies.",
            where=columns_named(several),
            remedy="Give the others another role.",
        )
    roles[label] = "target"
    described = describe_columns(table, label)
    # A requested group replaces the proposed one.
    if "group" in roles.values():
        roles = {**{c.name: "ignore" for c in described if c.role == "group"}, **roles}
    chosen = list[Column]()
    for column in described:
        kind, role = column.kind, roles.get(column.name, column.role)
        if column.name in options.categories:
            kind, role = "category", "feature" if role == "ignore" else role
        reason = column.reason if role == "ignore" else ""
        chosen.append(column._replace(kind=kind, role=role, reason=reason))
    return tuple(chosen)


def keep_rows(
    table: Table, label: str, used: Sequence[Column], options: TableOptions
) -> tuple[Flags, list[Notice]]:
    """Return which rows are used, (n,), and why the others are not."""
    frame, names = table.frame, [column.name for column in used]
    labels = frame[label]
    keep = labels.notna().to_numpy(dtype=bool)
    where = f"column {label!r}"
    n_rows, why = len(keep), "have no value in the target"
    notices = rows_left_out(int((~keep).sum()), n_rows, why, where, "LIN051")
    if options.drop_classes:
        dropped = [str(name) for name in options.drop_classes]
        keep = keep & ~merge_labels(labels, {}).isin(dropped).to_numpy()
    if options.drop_duplicates:
        repeated = keep & frame[[*names, label]].duplicated().to_numpy()
        why, count = "are duplicates", int(repeated.sum())
        notices += rows_left_out(count, n_rows, why, table.name, "LIN052")
        keep = keep & ~repeated
    if options.missing == "drop":
        gaps = keep & frame[names].isna().any(axis=1).to_numpy()
        why, count = "have a missing value", int(gaps.sum())
        notices += rows_left_out(count, n_rows, why, table.name, "LIN053")
        keep = keep & ~gaps
    if not keep.any() and labels.notna().any():
        raise DataError(
            "No row is left.",
            where=table.name,
            remedy="Impute missing values, or ignore the columns that are mostly missing.",
        )
    return keep, notices


def left_out_notices(columns: Sequence[Column]) -> list[Notice]:
    """Report which columns are ignored because of their content."""
    notices = []
    for kind, reason in EXCLUSION_REASONS.items():
        groups: dict[tuple[bool, str], list[Column]] = {}
        for column in columns:
            if column.kind == kind and column.reason:
                is_mark = kind == "constant" and column.n_missing > 0
                remedy = _MARKS if is_mark else _REMEDIES[kind]
                groups.setdefault((column.reason == _DECLARED, remedy), []).append(column)
        for (is_declared, remedy), some in sorted(groups.items()):
            said = some[0].reason if is_declared or len(some) == 1 else reason
            names = columns_named([column.name for column in some])
            notices.append(Notice(f"Left out: {said}.", names, remedy, "LIN050"))
    return notices


def no_feature_error(table: Table, columns: Sequence[Column]) -> DataError:
    """Return the error for a table without features."""
    others = [column for column in columns if column.role != "target"]
    kinds = ", ".join(
        f"{kind}: {count}"
        for kind in EXCLUSION_REASONS
        if (count := sum(c.kind == kind for c in others))
    )
    return DataError(
        f"No feature is left besides the target ({kinds or 'all are ignored'}).",
        where=f"{table.name}, {columns_named([column.name for column in others])}",
        remedy="Make a column a feature or text, or add one.",
        remedies=tuple(
            Hint(f"Use {column.name!r} as a number of days", {column.name: "feature"})
            for column in others[:_MOST_REMEDIES]
            if column.kind == "date"
        ),
    )
