"""Reading a text table in phases, each of which fills its part of one record."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from lincore.data.names import columns_named
from lincore.errors import Notice
from lincore.io.files.archives import unpack_gzip
from lincore.io.tables.rules.column_rules import (
    keep_leading_zeros,
    leave_out_blank_rows,
    leave_out_repeated_headers,
    leave_out_totals,
    leave_out_unnamed_columns,
    strip_texts,
    use_declared_types,
)
from lincore.io.tables.rules.numbers_in_text import read_numbers_in_text
from lincore.io.tables.table import as_requested
from lincore.io.tables.text.declarations import arff_as_csv, is_arff, refuse_basket
from lincore.io.tables.text.dialect import find_dialect
from lincore.io.tables.text.encoding import decode
from lincore.io.tables.text.header import find_header
from lincore.io.tables.text.marks import find_marks
from lincore.io.tables.text.options import ReadOptions
from lincore.io.tables.text.rows import parse_rows
from lincore.io.tables.text.tables_below import choose_table
from lincore.io.tables.text.text_import import TextImport
from lincore.limits import LIMITS, Limits, check_size, check_table_shape

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
_COLUMN = re.compile(r"column '(.*)'|column \"(.*)\"")
# What differs between columns with the same fault: a number of rows, an example.
_OWN = re.compile(r" \([\d,]+ rows?\)|,? such as ('[^']*'|\"[^\"]*\"),?")


def read_text(
    raw: bytes, name: str, options: ReadOptions | None = None, limits: Limits = LIMITS
) -> TextImport:
    r"""Read delimited or fixed-width text; unspecified options are detected."""
    table = TextImport(name, options or ReadOptions(), limits)
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
    unpacked = unpack_gzip(raw, name, most)
    check_size(len(unpacked), name, most)
    table.is_packed = unpacked is not raw
    text, table.encoding, found = decode(unpacked, name, table.options.encoding, limits)
    table.notices += found
    refuse_basket(text, name)
    if is_arff(text):
        text, separator = arff_as_csv(text, name), table.options.separator or ","
        table.options = replace(table.options, separator=separator, quote="'", header=True)
    table.text = text


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
        found = (_COLUMN.fullmatch(notice.where) for notice in same)
        columns = columns_named([match[1] or match[2] or "" for match in found if match])
        merged = replace(key, where=key.where or columns)
        table.notices.append(merged if len(same) > 1 else same[0])
