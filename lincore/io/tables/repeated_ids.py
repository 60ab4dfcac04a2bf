"""Repeated identifiers: columns that group several rows of one subject."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from lincore.data.frames import count_present, is_number, present_numbers
from lincore.io.tables.features import level_codes
from lincore.utils.typing import Codes

if TYPE_CHECKING:
    from lincore.io.tables.column_roles import Column

# Names of columns that identify the subject of a row.
_NAMES_GROUPS = re.compile(
    r"(?i:(^|[\s_.-])(id|uuid|guid|(subject|patient|participant|speaker|person|user|customer|client)"
    r"([\s_.-]?(id|no|num|nr|number|code))?))$|[a-z]I[Dd]$"
    r"|(?i:(kunden|personen|patienten|probanden|personal|mitarbeiter)[\s_.-]?(nr|nummer|id)\.?$)"
)
# P01, subject-12, N1A1: letters around a number.
_NUMBERED = re.compile(r"[A-Za-z]{1,12}[\s_.:#-]?\d{1,6}[A-Za-z]?\d{0,4}")
_FEWEST_GROUPS = 10
# Expected number of groups with different values if the other column were unrelated.
_EXPECTED = 10.0
_MOST_CANDIDATES = 50
_MOST_OTHERS = 200
_MOST_ROWS = 100_000


class RepeatedId(NamedTuple):
    """A column that seems to name subjects with several rows each."""

    column: str
    n_groups: int
    constant: tuple[str, ...]  # columns that differ between groups, but never within one
    why: str  # the evidence, as the predicate of a sentence


def repeated_ids(frame: pd.DataFrame, columns: Sequence[Column]) -> tuple[RepeatedId, ...]:
    """Find columns that name subjects with several rows, by their name or by strong evidence."""
    # Evidence in the values: other columns never change within a group (age and sex of a person),
    # values are numbered names (P01, P02, …), and groups have the same number of rows or are
    # contiguous. A number with which other columns increase or decrease is a quantity, not a name.
    if any(column.role == "group" for column in columns):
        return ()
    may_be = [
        column
        for column in columns
        if column.role != "target"
        and 2 * column.n_distinct <= len(frame) - column.n_missing
        and _are_names(frame[column.name], column.kind, column.n_missing, column.n_distinct)
    ]
    if not may_be:
        return ()
    some = frame.iloc[:_MOST_ROWS]
    others = {
        c.name: pd.factorize(some[c.name])[0] for c in columns[:_MOST_OTHERS] if c.n_distinct > 1
    }
    identifiers: list[RepeatedId] = []
    for column in may_be[:_MOST_CANDIDATES]:
        judged = _judge(column, some[column.name], others)
        # Identical groups under different names are proposed once.
        if judged and not any(_same_groups(others, judged, former) for former in identifiers):
            identifiers.append(judged)
    return tuple(identifiers)


def _same_groups(others: dict[str, Codes], identifier: RepeatedId, former: RepeatedId) -> bool:
    if identifier.column not in others or former.column not in others:
        return False
    both = np.stack([others[identifier.column], others[former.column]])
    pairs = np.unique(both[:, (both >= 0).all(axis=0)], axis=1)
    return bool(pairs.shape[1] <= 1.05 * min(identifier.n_groups, former.n_groups))


def _are_names(values: pd.Series[Any], kind: str, n_missing: int, n_distinct: int) -> bool:
    """Return whether values are texts or whole numbers, enough of them to name subjects."""
    is_kind = kind in ("number", "category", "identifier")
    if not is_kind or n_distinct < _FEWEST_GROUPS or 2 * n_missing > len(values):
        return False
    return not is_number(values) or not (present_numbers(values) % 1).any()


def _judge(column: Column, values: pd.Series[Any], others: dict[str, Codes]) -> RepeatedId | None:
    groups, levels = pd.factorize(values)
    sizes = np.bincount(groups[groups >= 0])
    constant = _constant_within(column.name, values, groups, sizes, others)
    if _NAMES_GROUPS.search(column.name):
        why = "is named like an identifier, and its values repeat"
        return RepeatedId(column.name, column.n_distinct, constant, why)
    if (sizes >= 2).mean() < 0.9:
        return None
    alike = bool((sizes == np.median(sizes)).mean() > 0.9)
    numbered = not is_number(values) and all(_NUMBERED.fullmatch(str(v).strip()) for v in levels)
    in_blocks = int((np.diff(groups) != 0).sum()) + 1 == len(levels)
    n_hints = alike + numbered + (in_blocks and not is_number(values))
    if len(constant) >= 2 or (constant and n_hints):
        named = ", ".join(map(repr, constant[:3])) + (" and others" if len(constant) > 3 else "")
        why = f"determines the value of {named}"
    elif numbered and n_hints >= 2:
        evidence = "the same number of rows each" if alike else "contiguous rows"
        why = f"holds numbered names with {evidence}"
    else:
        return None
    return RepeatedId(column.name, column.n_distinct, constant, why)


def _constant_within(
    name: str, values: pd.Series[Any], groups: Codes, sizes: Codes, others: dict[str, Codes]
) -> tuple[str, ...]:
    """Return the columns that are constant within the groups, but not by chance or by order."""
    # Sorted by the value, to count the changes of another column.
    order = np.argsort(values.to_numpy() if is_number(values) else groups, kind="stable")
    ordered = groups[order]
    same = (ordered[1:] == ordered[:-1]) & (ordered[1:] >= 0)
    constant = []
    for column, codes in others.items():
        changes = codes[order][1:] != codes[order][:-1]
        if column == name or (changes & same).any():
            continue
        n_values = int(codes.max()) + 1
        # A one-to-one relation is the same name in another form.
        is_alias = n_values > 0.9 * len(sizes)
        is_derived = is_number(values) and _is_derived(codes[order], ordered)
        if not is_alias and not is_derived and _expected_to_differ(codes, sizes) >= _EXPECTED:
            constant.append(column)
    return tuple(constant)


def _is_derived(codes: Codes, groups: Codes) -> bool:
    """Return whether a column changes so rarely along a number that it is derived from it."""
    code_of_group = codes[np.append(True, groups[1:] != groups[:-1])]
    shares = np.bincount(code_of_group + 1) / len(code_of_group)
    expected = (len(code_of_group) - 1) * (1 - float((shares**2).sum()))
    return int((np.diff(code_of_group) != 0).sum()) <= expected / 2


def _expected_to_differ(codes: Codes, sizes: Codes) -> float:
    """Return the expected number of groups with different values if rows were shuffled."""
    shares = np.bincount(codes[codes >= 0]) / max(1, (codes >= 0).sum())
    group_sizes, n_groups = np.unique(sizes, return_counts=True)
    p_constant = np.array([float((shares**m).sum()) for m in group_sizes])
    return float((n_groups * (1 - p_constant)).sum())


def names_subjects(column: pd.Series[Any], kind: str) -> bool:
    """Return whether a column clearly names subjects with several rows each."""
    # By its name, or because its values share prefixes: see `common_prefix`.
    n_present, n_distinct = count_present(column)
    if not _are_names(column, kind, len(column) - n_present, n_distinct):
        return False
    if _NAMES_GROUPS.search(str(column.name)) and 2 * n_distinct <= n_present:
        return True
    return kind == "identifier" and common_prefix(column) is not None


def group_codes(
    column: pd.Series[Any], *, by_part: bool | None = None
) -> tuple[Codes, tuple[str, ...]]:
    """Return the group of each row and the group names; a row without a group is its own group."""
    # Names with a common prefix, such as P01_1 and P01_2, form a group if `by_part`; by default, if
    # `common_prefix` finds prefixes.
    common = common_prefix(column) if by_part is None else None
    if by_part:
        parts = next(_split_names(_row_names(column)), None)
        common = None if parts is None else parts[0].reindex(column.index)
    codes, names, _ = level_codes(column if common is None else common)
    alone = np.isnan(codes)
    codes[alone] = len(names) + np.arange(alone.sum())
    lonely = tuple(f"row {row + 1}" for row in np.flatnonzero(alone))
    return codes.astype(np.intp), (*names, *lonely)


# The last part of a name: after a separator (S01_1, S01-a), or letters after a number (S01T1).
_LAST_PARTS = (r"(.*\w)[\s_.:#/-]+(\w{1,15})", r"(.*\d)([A-Za-z]+\d{0,4})")
_SHARE_OF_REPEATED = 0.9


def _split_names(texts: pd.Series[Any]) -> Iterator[pd.DataFrame]:
    """Yield the first and the last part of all row names, by each pattern that fits them."""
    for pattern in _LAST_PARTS:
        if len(texts) and re.fullmatch(pattern, texts.iloc[0]):
            parts = texts.str.extract(f"^{pattern}$")
            if not parts.isna().to_numpy().any():
                yield parts


def _row_names(column: pd.Series[Any]) -> pd.Series[Any]:
    return column.dropna().astype(str).str.strip()


def common_prefix(column: pd.Series[Any]) -> pd.Series[Any] | None:
    """Return the common prefixes of the row names, None if there are none."""
    # The names are almost unique texts. At least ten prefixes, nearly all of them, recur, and so do
    # the suffixes: P01_1, P01_2, P02_1, and so on.
    if is_number(column):
        return None
    texts = _row_names(column)
    if len(texts) < 2 * _FEWEST_GROUPS or texts.nunique() < _SHARE_OF_REPEATED * len(texts):
        return None
    for parts in _split_names(texts):
        sizes, ends = parts[0].value_counts(), parts[1].nunique()
        recur = (sizes >= 2).mean() >= _SHARE_OF_REPEATED and 2 <= ends <= len(texts) / 2
        if recur and _FEWEST_GROUPS <= len(sizes) <= len(texts) / 2:
            return parts[0].reindex(column.index)
    return None
