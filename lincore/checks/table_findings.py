"""Suspicious columns of a table, each with its remedies."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from lincore.checks._spelling import is_misspelling
from lincore.checks.leakage import Predictability, may_leak, predictability
from lincore.data.frames import columns_named, count_present, is_number
from lincore.data.labels import MANY_NUMBERS, is_classes
from lincore.errors import DataError, Hint, Notice
from lincore.io.tables.bins import bin_values
from lincore.io.tables.column_changes import find_order, label_mark, mark_notice, missing_codes
from lincore.io.tables.column_roles import EXCLUSION_REASONS, Column, Kind
from lincore.io.tables.repeated_ids import RepeatedId, repeated_ids
from lincore.utils.formatting import listed, percent_of, quoted
from lincore.utils.typing import Codes, Flags

if TYPE_CHECKING:
    from lincore.io.tables.table import Table

_MOST_SAID = 7
_ENOUGH_ROWS = 50
_MOST_CLASSES = 200
# Numbers of ranges proposed for a numeric target.
_RANGES = (2, 3, 4)
# A class may be a misspelling of another that has many more rows: at most this share of them.
_RARE_SLIP = 0.15
# Minimum number of words of a text; names have fewer.
_LONG_TEXT = 6
_SOME_TEXTS = 500


@dataclass(frozen=True)
class TableFinding:
    """A suspicious property of a table, with possible remedies.

    Parameters
    ----------
    notice : Notice
        Cause, place and remedy.
    remedies : tuple of Hint
        Possible remedies, each as import options.
    is_decision : bool
        Whether it is a decision already made, which can be overruled.
    """

    notice: Notice
    remedies: tuple[Hint, ...] = ()
    is_decision: bool = False


def find_table_problems(
    table: Table, columns: Sequence[Column], *, binned: bool = False
) -> tuple[TableFinding, ...]:
    r"""Find problems that make a comparison of classifiers meaningless or misleading.

    Parameters
    ----------
    columns : sequence of Column
        The result of `describe_columns`, with the roles chosen.
    binned : bool
        Whether the target is binned.

    Returns
    -------
    tuple of TableFinding
        At most one of each kind, with all columns concerned: numeric targets with many values;
        features that are identifiers, constant, mostly missing or leak the target; unused texts;
        missing-value codes; groups of rows; classes that are misspelt or have a single row;
        duplicates.

    Examples
    --------
    >>> from lincore.io.tables.column_selection import describe_columns
    >>> from lincore.io.table_files import read_table
    >>> table = read_table(b"u,class\n1.5,a\n2.5,b\n2.5,b\n", "made.csv")
    >>> for finding in find_table_problems(table, describe_columns(table)):
    ...     print(finding.notice, [remedy.label for remedy in finding.remedies])
    class 'a': A single row can be used for training but not for testing. Leave it ...
    made.csv: 1 row is a duplicate (33.3 %), with the features and class of another row. ...
    """
    frame = table.frame
    features = [column for column in columns if column.role in ("feature", "text")]
    target = next((column.name for column in columns if column.role == "target"), None)
    findings = [
        _many_numbers(frame[target]) if target is not None and not binned else None,
        _suspicious_features(features, "identifier"),
        _suspicious_features(features, "constant"),
        _unused_texts(frame, columns),
        _mostly_missing(features, len(frame)),
    ]
    findings += map(_groups_of_rows, repeated_ids(frame, columns))
    findings += _missing_codes(frame, features)
    findings += [_marked_identifiers(frame[c.name]) for c in columns if c.kind != "number"]
    findings += [_ordered(table, c.name) for c in features if c.kind == "category"]
    if target is not None:
        known = frame[target].notna().to_numpy(bool)
        labels = frame.loc[known, target]
        codes = pd.factorize(labels)[0]
        used = [column for column in columns if column.role in ("feature", "text", "target")]
        findings += _leaking(frame, features, known, codes)
        findings += [
            _spelling_variants(labels),
            _misspelt(labels),
            _lone_classes(labels),
            _duplicate_rows(table, used),
        ]
    return tuple(finding for finding in findings if finding is not None)


def _many_numbers(labels: pd.Series[Any]) -> TableFinding | None:
    """Propose a threshold or ranges for a numeric target with unusually many values."""
    n_distinct = count_present(labels)[1]
    if not is_number(labels) or n_distinct <= MANY_NUMBERS or not is_classes(labels):
        return None
    where = f"column {labels.name!r}"
    values, hints = labels.dropna().to_numpy(dtype=np.float64), list[Hint]()
    for n in _RANGES:
        try:
            classes = bin_values(values, n, where).classes.tolist()
        except DataError:  # almost all values are the same
            continue
        few = f"Two classes: {', '.join(classes)}"
        label = few if len(classes) == 2 else f"{len(classes)} ranges with about equally many rows"
        if label not in [hint.label for hint in hints]:
            hints.append(Hint(label, options={"bins": n}))
    notice = Notice(
        f"The target is numeric; each of its {n_distinct} values is a separate class.",
        where,
        "Bin it at a threshold or into ranges, unless the values are class labels.",
        code="LIN071",
    )
    return TableFinding(notice, tuple(hints))


def _suspicious_features(columns: Sequence[Column], kind: Kind) -> TableFinding | None:
    """Suggest features to ignore."""
    names = [column.name for column in columns if column.kind == kind]
    if not names:
        return None
    used = "It is used as a feature" if len(names) == 1 else "They are used as features"
    notice = Notice(
        f"{used}: {EXCLUSION_REASONS[kind]}.", columns_named(names), _ignoring(names), code="LIN060"
    )
    return TableFinding(notice, (_ignore(names),))


def _ignoring(names: Sequence[str]) -> str:
    return "Ignore it." if len(names) == 1 else "Ignore them."


def _ignore(names: Sequence[str]) -> Hint:
    described = repr(names[0]) if len(names) == 1 else f"the {len(names):,} columns"
    return Hint(f"Ignore {described}", roles=dict.fromkeys(names, "ignore"))


def _unused_texts(frame: pd.DataFrame, columns: Sequence[Column]) -> TableFinding | None:
    """Report ignored columns that contain longer texts in nearly every row."""
    texts = {c.name: n for c in columns if (n := _words(frame[c.name], c)) >= _LONG_TEXT}
    if not texts:
        return None
    names, some = list(texts), sorted({f"{n_words:.0f}" for n_words in texts.values()}, key=int)
    n_words = some[0] if len(some) == 1 else f"{some[0]} to {some[-1]}"
    it = "It holds" if len(names) == 1 else "They hold"
    notice = Notice(
        f"{it} texts of {n_words} words on average, which no model uses.",
        columns_named(names),
        "Use their word counts as additional features.",
        code="LIN061",
    )
    label = repr(names[0]) if len(names) == 1 else f"the {len(names):,} columns"
    return TableFinding(
        notice, (Hint(f"Count the words of {label}", dict.fromkeys(names, "text")),)
    )


def _marked_identifiers(values: pd.Series[Any]) -> TableFinding | None:
    """Report a column whose labels end with an identifier."""
    mark = label_mark(values)
    if mark is None:
        return None
    name = str(values.name)
    hint = Hint(f"Cut {name!r} at {mark}", reading={"cut_at": {name: mark}})
    return TableFinding(mark_notice(values, mark), (hint,))


def _ordered(table: Table, name: str) -> TableFinding | None:
    """Report a column whose levels are ordered."""
    levels = table.frame[name].dropna().unique()
    order = table.orders.get(name) or find_order(str(level) for level in levels)
    if not order:
        return None
    shown = " < ".join(order) if len(order) <= _MOST_SAID else f"{order[0]} < … < {order[-1]}"
    notice = Notice(
        f"Its levels are ordered: {shown}. As categories, each has its own coefficient.",
        columns_named([name]),
        f"Encode them as the numbers 1 to {len(order)} to use the order.",
        code="LIN072",
    )
    hint = Hint(f"Encode {name!r} as 1 to {len(order)}", reading={"ordered": {name: order}})
    return TableFinding(notice, (hint,))


def _words(values: pd.Series[Any], column: Column) -> float:
    """Return the average number of words of an ignored text column; 0 for other columns."""
    if column.role != "ignore" or column.kind != "text":
        return 0.0
    if len(values) < _ENOUGH_ROWS or column.n_missing > len(values) / 10:
        return 0.0
    some = values.dropna().iloc[:_SOME_TEXTS]
    return sum(len(str(text).split()) for text in some) / len(some)


def _groups_of_rows(identifier: RepeatedId) -> TableFinding:
    """Propose to split by group, so that rows of one subject stay together."""
    name = identifier.column
    notice = Notice(
        f"It seems to identify {identifier.n_groups:,} groups of rows, such as subjects: it "
        f"{identifier.why}. If a group has rows on both sides of the split, scores are biased "
        "upwards.",
        f"column {name!r}",
        "Keep the rows of each group together.",
        code="LIN063",
    )
    together = Hint(f"Keep the rows of one {name!r} together", {name: "group"})
    ignore = Hint(f"Ignore {name!r}", roles={name: "ignore"})
    return TableFinding(notice, (together, ignore))


def _missing_codes(frame: pd.DataFrame, columns: Sequence[Column]) -> list[TableFinding]:
    """Report numbers that may be missing-value codes, one finding per number."""
    numeric = [c.name for c in columns if c.kind == "number" and is_number(frame[c.name])]
    findings = []
    for number, names in missing_codes(frame, numeric).items():
        counts = [int((frame[name] == number).sum()) for name in names]
        which = "smallest" if number <= 0 else "largest"
        if len(names) == 1:
            finding = (
                f"{number:g} occurs in {counts[0]:,} rows ({percent_of(counts[0], len(frame))})"
            )
            label = f"Read {number:g} in {names[0]!r} as missing"
        else:
            shares = (
                f"{percent_of(min(counts), len(frame))} to {percent_of(max(counts), len(frame))}"
            )
            finding = f"{number:g} occurs in {shares} of the rows of {len(names):,} columns"
            label = f"Read {number:g} as missing in the {len(names):,} columns"
        location = "" if len(names) == 1 else " there"
        notice = Notice(
            f"{finding} and is the {which} value{location}: it may be a missing-value code.",
            columns_named(names),
            "If so, read it as missing.",
            code="LIN064",
        )
        missing_in = dict.fromkeys(names, (number,))
        findings.append(TableFinding(notice, (Hint(label, reading={"missing_in": missing_in}),)))
    return findings


def _mostly_missing(columns: Sequence[Column], n_rows: int) -> TableFinding | None:
    """Report features that are missing in more than half of the rows."""
    empty = [c for c in columns if 2 * c.n_missing > n_rows]
    if not empty:
        return None
    names = [column.name for column in empty]
    least, most = min(c.n_missing for c in empty), max(c.n_missing for c in empty)
    shares = percent_of(least, n_rows)
    if most > least:
        shares += f" to {percent_of(most, n_rows)}"
    notice = Notice(
        f"Missing in {shares} of the rows.",
        columns_named(names),
        f"Decide whether to ignore {'it' if len(names) == 1 else 'them'}.",
        code="LIN065",
    )
    return TableFinding(notice, (_ignore(names),))


def _leaking(
    frame: pd.DataFrame, features: Sequence[Column], known: Flags, codes: Codes
) -> list[TableFinding]:
    """Report columns that alone predict the class of nearly every row."""
    # `codes` are the classes of the rows with a known class. Columns whose values form one cluster
    # per class are reported separately, because they may be good measurements.
    if not may_leak(codes):
        return []
    by_column = {
        c.name: _predictability(frame[c.name], known, codes, c)
        for c in features
        if c.role != "text"
    }
    leaking = {name: m.share for name, m in by_column.items() if m.is_leak}
    clustered = {name: m.share for name, m in by_column.items() if m.by_clusters}
    findings = []
    if leaking:
        sentence = f"Possible target leakage. {_telling_share(leaking, len(codes))}."
        notice = Notice(sentence, columns_named([*leaking]), _unless_known(leaking), "LIN066")
        findings.append(TableFinding(notice, (_ignore([*leaking]),)))
    if clustered:
        sentence = (
            f"{_telling_share(clustered, len(codes))}: each class is a cluster of its values."
        )
        notice = Notice(sentence, columns_named([*clustered]), _unless_known(clustered), "LIN073")
        findings.append(TableFinding(notice, (_ignore([*clustered]),)))
    return findings


def _predictability(
    values: pd.Series[Any], known: Flags, codes: Codes, column: Column
) -> Predictability:
    if column.kind != "number" or column.n_distinct <= len(codes) / 10:
        return predictability(values[known], codes, by_order=False)
    numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)[known]
    return predictability(numbers, codes, by_order=True)


def _telling_share(shares: Mapping[str, float], n_rows: int) -> str:
    least = percent_of(round(min(shares.values()) * n_rows), n_rows)
    it = "It alone predicts" if len(shares) == 1 else "Each alone predicts"
    bound = "" if len(shares) == 1 or min(shares.values()) == 1 else "at least "
    return f"{it} the class of {bound}{least} of the rows"


def _unless_known(names: Collection[str]) -> str:
    return f"{_ignoring([*names])[:-1]}, unless known before the class."


def _spelling_variants(labels: pd.Series[Any]) -> TableFinding | None:
    """Report classes that differ only in case or spaces."""
    if is_number(labels):
        return None
    merged: dict[str, str] = {}
    commonest: dict[str, str] = {}
    # The most frequent spelling first: the others are merged into it.
    for label in map(str, labels.value_counts().index[:_MOST_CLASSES]):
        common = commonest.setdefault(_folded(label), label)
        if label != common:
            merged[label] = common
    if not merged or len(commonest) < 2:
        return None
    same = ", ".join(f"{label!r} and {common!r}" for label, common in list(merged.items())[:5])
    notice = Notice(
        f"Classes that differ only in case or spaces: {same}.",
        f"column {labels.name!r}",
        "Merge them if they mean the same.",
        code="LIN067",
    )
    return TableFinding(notice, (Hint("Merge the spellings", options={"merge_classes": merged}),))


def _misspelt(labels: pd.Series[Any]) -> TableFinding | None:
    """Report rare classes that may be misspellings of frequent ones."""
    if is_number(labels):
        return None
    counts = labels.map(str).map(_folded).value_counts()[: 2 * _MOST_CLASSES]
    meant: dict[str, str] = {}
    for rare, few in counts.items():
        common = (word for word, many in counts.items() if few <= _RARE_SLIP * many)
        near = next((word for word in common if is_misspelling(str(rare), str(word))), None)
        if near is not None:
            meant[str(rare)] = str(near)
    if not meant:
        return None
    spelled: dict[str, str] = {}
    for label in map(str, labels.value_counts().index):
        spelled.setdefault(_folded(label), label)
    merged = {
        label: spelled[meant[_folded(label)]]
        for label in map(str, labels.unique())
        if _folded(label) in meant
    }
    same = ", ".join(f"{label!r} for {word!r}" for label, word in list(merged.items())[:5])
    notice = Notice(
        f"Rare classes that may be misspelt: {same}.",
        f"column {labels.name!r}",
        "Merge them if they mean the same.",
        code="LIN068",
    )
    return TableFinding(
        notice, (Hint("Merge misspelt classes", options={"merge_classes": merged}),)
    )


def _folded(label: str) -> str:
    return " ".join(label.split()).casefold()


def _lone_classes(labels: pd.Series[Any]) -> TableFinding | None:
    counts = labels.value_counts()
    lone = [str(label) for label in counts.index[counts == 1]]
    if not lone or len(lone) > 20 or len(counts) < 2:
        return None
    named, is_single = listed([quoted(label) for label in lone], _MOST_SAID), len(lone) == 1
    notice = Notice(
        "A single row can be used for training but not for testing.",
        f"{'class' if is_single else 'classes'} {named}",
        "Leave it out or merge it." if is_single else "Leave them out or merge them.",
        code="LIN069",
    )
    drop = Hint(f"Leave out {named}", options={"drop_classes": tuple(lone)})
    if is_single:
        nearest = str(counts.index[counts > 1][-1]) if (counts > 1).any() else ""
        merged = {lone[0]: nearest}
        merge = Hint(f"Merge {named} with {quoted(nearest)}", options={"merge_classes": merged})
        return TableFinding(notice, (drop, merge) if nearest and len(counts) > 2 else (drop,))
    merged = dict.fromkeys(lone, "other")
    return TableFinding(notice, (drop, Hint("Merge them", options={"merge_classes": merged})))


def _duplicate_rows(table: Table, used: Sequence[Column]) -> TableFinding | None:
    # Rows differ anyway if one column has no repeated values; comparing many columns takes long.
    n_rows = len(table.frame)
    if len(used) < 2 or any(c.n_distinct == n_rows for c in used):
        return None
    frame = table.frame[[column.name for column in used]]
    count = int(frame.duplicated().sum())
    # Equal texts are not a coincidence.
    judged = n_rows >= _ENOUGH_ROWS and all(c.role != "text" for c in used)
    if not count or (judged and count <= _expected_duplicates(frame, count)):
        return None
    finding, remedy = (
        f"{count:,} rows are duplicates",
        "Remove them unless they are different cases",
    )
    if count == 1:
        finding, remedy = "1 row is a duplicate", "Remove it unless it is a different case"
    it_biases = "it biases" if count == 1 else "they bias"
    notice = Notice(
        f"{finding} ({percent_of(count, n_rows)}), with the features and class of another row.",
        table.name,
        f"{remedy}: on both sides of the split {it_biases} scores upwards.",
        code="LIN070",
    )
    return TableFinding(notice, (Hint("Remove duplicates", options={"drop_duplicates": True}),))


def _expected_duplicates(frame: pd.DataFrame, enough: int) -> float:
    """Return the number of equal pairs of rows expected if columns were independent."""
    # Stops counting once it is below `enough`.
    pairs = len(frame) * (len(frame) - 1) / 2
    for name in frame:
        shares = frame[name].value_counts(normalize=True, dropna=False).to_numpy()
        pairs *= float((shares**2).sum())
        if pairs < enough:
            break
    return pairs
