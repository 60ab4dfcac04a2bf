"""Reading a text table: phases that fill one record, and rules that change its columns."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from lincore.data.frames import columns_named, is_number, listed_texts, with_columns, with_many
from lincore.data.labels import level_name
from lincore.errors import Notice
from lincore.io.files.sources import LargeFile
from lincore.io.tables.table import as_requested
from lincore.io.tables.text.dialect import find_dialect
from lincore.io.tables.text.encoding import arff_as_csv, decode
from lincore.io.tables.text.header import find_header
from lincore.io.tables.text.numbers import find_marks, read_numbers_in_text
from lincore.io.tables.text.options import MISSING_CODES, ReadOptions, TextImport
from lincore.io.tables.text.rows import PADDED, is_padded, parse_rows
from lincore.io.tables.text.stacked_tables import choose_table
from lincore.limits import Limits, check_size, check_table_shape, read_limited
from lincore.utils.typing import Flags

_FEW_ROWS = 5_000
_CODE_NAME = re.compile(
    r"(?:^|[\W_])(?:zip|zipcode|postal|postcode|post|plz|fips|phone|tel|code|id|sku|isbn|ean|iban"
    r"|account|label|class|target)(?:$|[\W_])",
    re.IGNORECASE,
)
# With this many digits a padded number is a code: 01067 is not a measurement.
_CODE_DIGITS = 4
# Fewer padded columns are not a number format.
_FEWEST_PADDED = 4
# fmt: off
_TOTALS = frozenset((
    "total", "totals", "grand total", "sum", "subtotal", "average", "mean", "all", "overall",
    "summe", "gesamt", "insgesamt", "mittelwert", "durchschnitt", "somme", "moyenne", "suma",
    "totale", "media", "totaal",
))
# fmt: on
_MOST_TOTALS, _FEWEST_ROWS_ABOVE = 3, 5
# Relative error of a total.
_TOLERANCE = 0.01
_COLUMN = re.compile(r"column '(.*)'|column \"(.*)\"")
# What differs between columns with the same fault: a number of rows, an example.
_OWN = re.compile(r" \([\d,]+ rows?\)|,? such as ('[^']*'|\"[^\"]*\"),?")


def leave_out_blank_rows(table: TextImport) -> None:
    """Leave out rows without any value."""
    frame = table.frame
    # Only rows without a first and a last value need a full check.
    blank = (frame.iloc[:, 0].isna() & frame.iloc[:, -1].isna()).to_numpy(bool, copy=True)
    if blank.any():
        blank[blank] = frame[blank].isna().all(axis=1)
    # An empty table is rejected elsewhere.
    if not blank.all():
        _leave_out(table, blank, "without any value", "LIN030")


def leave_out_repeated_headers(table: TextImport) -> None:
    """Leave out rows that repeat the column names, as in concatenated files."""
    frame, kinds = table.frame, [dtype.kind for dtype in table.frame.dtypes]
    named = [i for i, field in enumerate(table.header[: len(kinds)]) if field]
    # Numeric columns contain no names.
    if len(named) < 2 or any(kinds[i] != "O" for i in named):
        return
    repeats = np.ones(len(frame), bool)
    for i in named:
        repeats[repeats] = frame.iloc[:, i][repeats].astype("str").str.strip() == table.header[i]
        if not repeats.any():
            return
    _leave_out(table, repeats, "that repeat the header line", "LIN031")


def _leave_out(table: TextImport, rows: Flags, description: str, code: str) -> None:
    """Leave out some rows, (n,) bool, and report them."""
    if count := int(rows.sum()):
        some = "1 row was" if count == 1 else f"{count:,} rows were"
        table.note(f"{some} {description} and left out.", code=code)
        table.frame, table.rows_are_lines = table.frame[~rows].reset_index(drop=True), False


def leave_out_totals(table: TextImport) -> None:
    """Leave out the last rows if they are labelled as totals or means, and are."""
    frame = table.frame
    if frame.empty or not _total_labels(frame.iloc[-1]):
        return
    for count in range(min(_MOST_TOTALS, len(frame) - _FEWEST_ROWS_ABOVE), 0, -1):
        rows = frame.iloc[:-count]
        if all(_is_total(rows, frame.iloc[-i]) for i in range(1, count + 1)):
            some = f"{count} rows contain" if count > 1 else "row contains"
            were = "were" if count > 1 else "was"
            table.note(f"The last {some} totals and {were} left out.", code="LIN032")
            table.frame = rows
            return


def _is_total(rows: pd.DataFrame, last: pd.Series[Any]) -> bool:
    values = {str(name): value for name, value in last.items()}
    words = _total_labels(last)
    # A class may be called "all": then it occurs in other rows too.
    if not words or any((rows[name] == values[name]).any() for name in words):
        return False
    numbers = [name for name in values if is_number(rows[name]) and not pd.isna(values[name])]
    n_agreeing = sum(
        any(
            abs(float(values[name]) - total) <= _TOLERANCE * max(abs(total), 1e-12)
            for total in (float(rows[name].sum()), float(rows[name].mean()))
        )
        for name in numbers
    )
    return 2 * n_agreeing > len(numbers)


def _total_labels(row: pd.Series[Any]) -> list[str]:
    """Return the columns in which a row is labelled as a total."""
    return [
        str(name)
        for name, value in row.items()
        if isinstance(value, str) and value.strip(" :").casefold() in _TOTALS
    ]


def strip_texts(table: TextImport) -> None:
    """Strip the values of text columns, and remove missing-value codes."""
    columns = table.of_text
    tidied = {name: stripped(column, table.options) for name, column in columns.items()}
    changed = {name: tidy for name, tidy in tidied.items() if tidy is not columns[name]}
    table.frame = with_many(table.frame, changed)


def stripped(column: pd.Series[Any], options: ReadOptions) -> pd.Series[Any]:
    """Return a stripped text column without missing-value codes."""
    given = options.missing_codes
    marked = {"", *(mark.strip() for mark in (MISSING_CODES if given is None else given))}
    if column.dtype == object:
        column = column.astype("str").where(column.notna())
    if len(column) <= _FEW_ROWS:
        # pandas takes a third of a millisecond per step and column, for thousands of columns.
        values = listed_texts(column)
        tidy = [None if value is None else value.strip() for value in values]
        tidy = [None if value in marked else value for value in tidy]
        return column if tidy == values else pd.Series(tidy, name=column.name, dtype="str")
    column = column.str.strip()
    blank = column.isin(list(marked))
    return column.mask(blank) if blank.any() else column


def keep_leading_zeros(table: TextImport) -> None:
    """Keep columns of digits as text if their leading zeros are significant."""
    # These are columns in which distinct values would become equal as numbers (7 and 007), columns
    # named as codes, values with four or more digits, and short ones that repeat. If half the
    # columns are padded, the zeros are only the number format of the file.
    texts = table.of_text
    padded = [name for name in texts if is_padded(texts[name])]
    is_format = len(padded) >= max(_FEWEST_PADDED, table.frame.shape[1] / 2)
    codes = [name for name in padded if _is_code(texts[name], is_format)]
    if codes:
        example = next(v for v in texts[codes[0]].dropna() if re.fullmatch(PADDED, v))
        sentence = f"Leading zeros, as in {example[:20]}: kept as text, since a number would "
        table.notices.append(Notice(f"{sentence}lose them.", columns_named(codes), code="LIN040"))
        table.texts |= set(codes)


def _is_code(column: pd.Series[Any], is_format: bool) -> bool:
    distinct: Sequence[str] = column.dropna().unique().tolist()
    if len({text.lstrip("0") or "0" for text in distinct}) < len(distinct):
        return True
    if is_format:
        return False
    widths = {len(text) for text in distinct if re.fullmatch(PADDED, text)}
    is_even = len(widths) == 1 and all(len(text) >= min(widths) for text in distinct)
    if not is_even or min(widths) >= _CODE_DIGITS or _CODE_NAME.search(str(column.name)):
        return True
    return 2 * len(distinct) <= len(column)


def leave_out_unnamed_columns(table: TextImport) -> None:
    """Leave out the last columns that have neither a name nor a value."""
    frame, names = table.frame, [str(name) for name in table.frame]
    n_kept = len(names) if table.header else 0
    while (
        n_kept and names[n_kept - 1] == f"column {n_kept}" and frame[names[n_kept - 1]].isna().all()
    ):
        n_kept -= 1
    if 0 < n_kept < len(names):
        where = columns_named(names[n_kept:])
        table.notices.append(Notice("Left out: neither a name nor values.", where, code="LIN041"))
        table.frame = frame[names[:n_kept]]


def use_declared_types(table: TextImport) -> None:
    """Convert numbers to text if the file declares them as categories or texts."""
    frame, texts = table.frame, {}
    for name, kind in table.types.items():
        if kind in ("category", "text") and name in frame and is_number(frame[name]):
            # Integers in a column with missing values have no fraction.
            texts[name] = frame[name].map(level_name, na_action="ignore").astype("str")
    table.frame = with_columns(frame, texts)


def read_text(raw: bytes, name: str, options: ReadOptions, limits: Limits) -> TextImport:
    r"""Read delimited or fixed-width text; unspecified options are detected."""
    table = TextImport(name, options, limits)
    decode_file(table, raw)
    find_dialect(table)
    choose_table(table)
    find_header(table)
    find_marks(table)
    parse_rows(table)
    apply_rules(table)
    merge_notices(table)
    return table


def decode_file(table: TextImport, raw: bytes) -> None:
    """Unpack and decode the file; the declarations of ARFF become a header line."""
    name, limits = table.name, table.limits
    check_size(len(raw), name, limits)
    most = replace(limits, max_file_bytes=min(limits.max_table_bytes, limits.max_file_bytes))
    # The size in memory is limited: it may be any multiple of the packed one.
    file = LargeFile(raw, name, replace(limits, max_ratio=sys.maxsize))
    table.is_packed = file.is_packed
    with file.open() as stream:
        unpacked = read_limited(stream, name, most)
    text, table.encoding, notices = decode(unpacked, name, table.options.encoding, limits)
    table.notices += notices
    table.text = text
    if (rows := arff_as_csv(text, name)) is not None:
        table.text, separator = rows, table.options.separator or ","
        table.options = replace(table.options, separator=separator, quote="'", header=True)


#: Rules for parsed columns, in this order, each with the codes of its findings: a rule changes the
#: frame of the table and reports it, unless one of its codes is in `ReadOptions.overrule`.
COLUMN_RULES: tuple[tuple[Callable[[TextImport], None], tuple[str, ...]], ...] = (
    (leave_out_blank_rows, ("LIN030",)),
    (leave_out_repeated_headers, ("LIN031",)),
    (strip_texts, ()),
    (keep_leading_zeros, ("LIN040",)),
    (read_numbers_in_text, ("LIN042", "LIN043", "LIN044", "LIN045")),
    (leave_out_unnamed_columns, ("LIN041",)),
    (leave_out_totals, ("LIN032",)),
    (use_declared_types, ()),
)


def apply_rules(table: TextImport) -> None:
    """Change the parsed columns by the rules that are not overruled, then as requested."""
    check_table_shape(*table.frame.shape, table.name, table.limits)
    for rule, codes in () if table.options.as_text else COLUMN_RULES:
        if set(codes).isdisjoint(table.options.overrule):
            rule(table)
    table.frame = as_requested(table.frame, table.options)
    check_table_shape(*table.frame.shape, table.name, table.limits)
    table.roles = {name: role for name, role in table.roles.items() if name in table.frame}


def merge_notices(table: TextImport) -> None:
    """Merge equal notices about several columns, at the position of the first."""
    alike: dict[Notice, list[Notice]] = {}
    for notice in table.notices:
        is_alike = _COLUMN.fullmatch(notice.where)
        key = replace(notice, what=_OWN.sub("", notice.what), where="") if is_alike else notice
        alike.setdefault(key, []).append(notice)
    table.notices = []
    for key, same in alike.items():
        matches = (_COLUMN.fullmatch(notice.where) for notice in same)
        columns = columns_named([match[1] or match[2] or "" for match in matches if match])
        merged = replace(key, where=key.where or columns)
        table.notices.append(merged if len(same) > 1 else same[0])
