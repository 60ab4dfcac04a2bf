"""Detection of the header line, of titles above it and units below it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise, zip_longest
from typing import Literal, NamedTuple, TypeAlias

from lincore.data.frames import numbered, unique_names
from lincore.errors import DataError, Notice
from lincore.io.tables.text.dialect import n_blank_last, split_with_other
from lincore.io.tables.text.fields import BLANKS, NUMBER, are_numbers, kind_of
from lincore.io.tables.text.options import DeclaredRole, Record, TextImport, nonblank_values
from lincore.limits import LIMITS, check_rows, check_table_shape

DeclaredType: TypeAlias = Literal["number", "category", "text", ""]
MaybeRole: TypeAlias = DeclaredRole | Literal[""]
_TYPES: dict[str, DeclaredType] = {
    **dict.fromkeys(("c", "continuous", "n", "numeric"), "number"),
    **dict.fromkeys(("d", "discrete", "categorical"), "category"),
    **dict.fromkeys(("s", "string", "text"), "text"),
    **dict.fromkeys(("t", "time", ""), ""),
}
_ROLES: dict[str, MaybeRole] = {
    **dict.fromkeys(("class", "c"), "target"),
    **dict.fromkeys(("weight", "w"), "weight"),
    **dict.fromkeys(("meta", "m", "ignore", "i"), "ignore"),
    "": "",
}
# As in cD#kind. C#4 is a musical note, not a column called 4.
_MARKED = re.compile(r"([cmiw]?)([CDNST]?)#\s*(\D.*)", re.DOTALL)
# Attributes of a column, such as unit=mm, may follow its role.
_ATTRIBUTE = re.compile(r"(?:^|\s)\S+=\S*")
_UNIT = re.compile(r"[\[(]?[^\d\s][^,;]{0,14}[\])]?")
# Survey tools write the question, and perhaps an identifier, below the name of a column.
_LONGEST_UNIT, _MOST_LABELS, _FEWEST_BELOW = 17, 2, 3
_NAME = re.compile(r"[^\W\d]{3,}([ _.-]*\w+)*")
# Units and types that look like names, in the singular.
# fmt: off
_UNIT_WORDS = frozenset((
    "metre", "meter", "gram", "gramm", "second", "sekunde", "minute", "hour", "stunde", "day",
    "tag", "week", "month", "year", "jahr", "litre", "liter", "kilogram", "kilometre",
    "kilometer", "centimetre", "centimeter", "millimetre", "millimeter", "percent", "prozent",
    "degree", "grad", "celsius", "fahrenheit", "kelvin", "euro", "eur", "dollar", "usd",
    "count", "unit", "number", "ratio", "score", "point", "mol", "mmol", "mmhg", "bpm", "kpa",
    "hpa", "rpm", "min", "sec", "yrs", "mph", "kwh", "ppm", "ppb", "beat", "pixel", "inch",
    "feet", "foot", "pound", "watt", "volt", "integer", "int", "real", "float", "double",
    "numeric", "numerical", "nominal", "categorical", "ordinal", "string", "text", "binary",
    "boolean", "bool", "date", "factor", "continuous", "discrete", "percentage", "index",
    "code", "none", "nan",
))
# fmt: on
_MOST_ABOVE = 30
_FEWEST_LEVELS = 6


class Declared(NamedTuple):
    """Names of columns with their types and roles, "" if not declared."""

    names: list[str]
    types: list[DeclaredType]
    roles: list[MaybeRole]
    n_lines: int = 1


def find_declared(records: Sequence[Record]) -> Declared | None:
    """Return the declarations in Orange's format in the first records; None if there are none."""
    if not records:
        return None
    names = records[0].fields
    marked = [_MARKED.fullmatch(name) for name in names]
    known = [match for match in marked if match and (match[1] or match[2])]
    if known and len(known) == sum("#" in name for name in names):
        types = [_TYPES[match[2].lower() if match else ""] for match in marked]
        roles = [_ROLES[match[1] if match else ""] for match in marked]
        names = [match[3] if match else name for match, name in zip(marked, names, strict=True)]
        return _with_feature_roles(names, types, roles)
    return _declared_below(names, records[1:])


def _declared_below(names: list[str], records: Sequence[Record]) -> Declared | None:
    """Return the types, and the roles if any, in the lines below the names."""
    width = len(names)
    if len(records) < 3 or len(records[0].fields) != width or not all(names):
        return None
    words, below = records[0].fields, records[1].fields
    bare = [_ATTRIBUTE.sub("", field).strip() for field in below]
    has_roles = len(below) == width and all(field.lower() in _ROLES for field in bare)
    # A blank line means that there are no roles.
    n_lines = 3 if has_roles else 2
    columns = [nonblank_values(records[n_lines - 1 :], i) for i in range(width)]
    types = [_declared_type(field, column) for field, column in zip(words, columns, strict=True)]
    known = [kind for kind in types if kind is not None]
    # Letters may also be values: require a role, or a type above numbers.
    pairs = zip(types, columns, strict=True)
    tells = any(kind == "number" and are_numbers(column) for kind, column in pairs)
    tells |= has_roles and any(bare)
    if len(known) < width or not any(words) or not tells:
        return None
    roles = [_ROLES[field.lower()] for field in bare] if has_roles else [_ROLES[""]] * width
    return _with_feature_roles(names, known, roles, n_lines)


def _with_feature_roles(
    names: list[str], types: list[DeclaredType], roles: list[MaybeRole], n_lines: int = 1
) -> Declared:
    # A number without a role is a measurement, even if it numbers the rows.
    pairs = zip(roles, types, strict=True)
    completed: list[MaybeRole] = [r or ("feature" if t == "number" else "") for r, t in pairs]
    return Declared(names, types, completed, n_lines)


def _declared_type(field: str, column: Sequence[str]) -> DeclaredType | None:
    """Return the type declared by a word, or the listed values of a category."""
    if field.lower() in _TYPES:
        return _TYPES[field.lower()]
    listed = {value.replace("\\ ", " ") for value in re.split(r"(?<!\\)[\s,|]+", field)}
    return "category" if len(listed) > 1 and column and listed.issuperset(column) else None


def find_header(table: TextImport) -> None:
    """Find the column names, their line, and the line where the rows begin."""
    declared = find_declared(table.records)
    overruled = table.options.header is not None or "LIN018" in table.options.overrule
    if declared is None or overruled:
        # A separator at the end of each line creates an empty column, which a header may lack.
        records, width = _without_last_blanks(table.records, table.width)
        names = _find_names(table, records, width)
        n_more = table.width - max(width, len(names))
        names += numbered("column", table.width)[-n_more:] if n_more > 0 else ()
    else:
        names, n = declared.names, declared.n_lines
        table.header_line = first = table.records[0].first_line
        below = table.records[n:]
        table.first_line = below[0].first_line if below else table.records[-1].last_line + 1
        sentence = "Types and roles of columns declared in Orange's format: used as declared."
        lines = f"lines {first} to {first + n - 1}" if n > 1 else f"line {first}"
        table.note(sentence, lines, code="LIN018")
    header = (record.fields for record in table.records if record.first_line == table.header_line)
    table.header = next(header, [])
    table.names, naming = unique_names(names)
    table.notices += naming
    if declared is not None and not overruled:
        table.types = dict(zip(table.names, declared.types, strict=True))
        pairs = zip(table.names, declared.roles, strict=True)
        table.roles = {column: role for column, role in pairs if role}
    n_lines = table.text.rstrip().count("\n") + 1
    check_table_shape(n_lines, len(table.names), table.name, table.limits)
    # The header is no row.
    check_rows(n_lines - 1, table.name, table.limits)


def _without_last_blanks(records: list[Record], usual: int) -> tuple[list[Record], int]:
    """Return the records without trailing columns that are blank in all, and their width."""
    width = usual - n_blank_last(records, usual)
    if width in (0, usual):
        return records, usual
    trimmed, is_above = list[Record](), True
    for record in records:
        fields = record.fields[:width]
        is_above = is_above and not (len(fields) == width and fields[-1])
        while is_above and len(fields) > 1 and not fields[-1]:
            # A line above the table may be padded to its width.
            fields = fields[:-1]
        trimmed.append(record._replace(fields=fields))
    return trimmed, width


def _find_names(table: TextImport, records: list[Record], width: int) -> list[str]:
    """Return the column names among records with a nonblank last column, and note their lines."""
    asked, overruled = table.options.header, table.options.overrule
    records = _skip_titles(table, records, width)
    # In concatenated files the header recurs among the rows.
    if asked is None and "LIN017" not in overruled:
        whole = _join_split_header(records, width)
        if whole is not None:
            sentence = "A line break splits the header: its two lines were read as one."
            table.note(sentence, f"lines {whole.first_line} and {whole.last_line}", code="LIN017")
            records = [whole, *records[2:]]
    head, body = records[0], [r for r in records if r.fields != records[0].fields]
    has_header = _is_header(head, body) if asked is None else asked is not False
    if not has_header:
        if asked is None:
            table.note("There is no header line: the columns are numbered.", code="LIN011")
        table.header_line, table.first_line = None, head.first_line
        return list(numbered("column", max(width, len(head.fields))))
    joined = _join_groups(head, body) if asked is None and "LIN012" not in overruled else None
    if joined is not None:
        sentence = f"Two lines name the columns: joined, as in {joined[1]!r}."
        lines = f"{table.name}, lines {head.first_line} and {body[0].first_line}"
        head, body = head._replace(fields=joined, last_line=body[0].last_line), body[1:]
    names, naming = _column_names(head, body, width, table.name)
    naming = naming if joined is None else [Notice(sentence, lines, code="LIN012")]
    if asked is None and "LIN013" not in overruled:
        n_labels, sentence = _n_labels(body), ""
        units = [] if n_labels else _units(body)
        if units and joined is None and _are_names(units, names) and "LIN010" not in overruled:
            # A title as wide as the table is above its header.
            _note_skipped(table, head, f"line {head.first_line}")
            return _find_names(table, [record for record in records if record is not head], width)
        if n_labels:
            label = ", ".join(filter(None, body[0].fields))[:60]
            sentence = f"Skipped descriptions of the columns below their names: {label!r}."
        elif units:
            # A heading over several columns is written once, so a blank has only the lower name.
            blanks = [""] * len(names)
            below = zip(names, [*units, *blanks], [*head.fields, *blanks], strict=False)
            names = [_name_with_unit(name, unit, is_named=bool(f)) for name, unit, f in below]
            if any(map(_is_unit, units)):
                sentence = f"The line contains units: {', '.join(filter(None, units))}."
        n_below = n_labels or bool(units)
        if sentence:
            first, last = body[0].first_line, body[n_below - 1].last_line
            lines = f"line {first}" if n_below == 1 else f"lines {first} to {last}"
            naming.append(Notice(sentence, f"{table.name}, {lines}", code="LIN013"))
        body = body[n_below:]
    table.header_line = head.first_line
    table.first_line = body[0].first_line if body else head.last_line + 1
    table.notices += naming
    return names


def _skip_titles(table: TextImport, records: list[Record], width: int) -> list[Record]:
    """Return the records from the header on; lines above it are reported."""
    asked = table.options.header
    if asked is not None and asked is not True and asked is not False:
        below = [record for record in records if record.first_line >= asked]
        if not below or below[0].first_line != asked:
            raise DataError(
                f"Line {asked} is blank, a comment, or does not exist.",
                where="option header",
                remedy="Give the number of the line with the column names, counted from 1.",
            )
        return below
    if not records:
        raise DataError(
            "The first lines cannot be read.",
            where=table.name,
            remedy="Check that quotation marks are paired.",
        )
    n_titles = 0
    usual = Counter(record.n_filled for record in records).most_common(1)[0][0]
    while n_titles < len(records) - 2 and _is_title(records[n_titles], width, usual):
        n_titles += 1
    n_titles = max(n_titles, _n_sections(records, width), _n_above_header(records, width))
    if n_titles and len(records[n_titles - 1].fields) == 1:
        # A header with another separator than the rows.
        last = records[n_titles - 1]
        fields = split_with_other(last.fields[0], table, width) or []
        if fields and all(fields) and len(set(fields)) == len(fields):
            n_titles -= 1
            records = [*records[:n_titles], last._replace(fields=fields), *records[n_titles + 1 :]]
    if not n_titles or "LIN010" in table.options.overrule:
        return records
    if any(record.n_filled for record in records[:n_titles]):
        lines = "line 1" if n_titles == 1 else f"lines 1 to {records[n_titles - 1].last_line}"
        _note_skipped(table, records[0], lines)
    return records[n_titles:]


def _note_skipped(table: TextImport, record: Record, where: str) -> None:
    title = " ".join(filter(None, record.fields))[:60]
    table.note(f"Skipped title above the table: {title!r}.", where, code="LIN010")


def _join_split_header(records: Sequence[Record], width: int) -> Record | None:
    """Join the first two records if a line break splits a name in the header."""
    upper, lower, *body = (*records, *records[:1])
    parted = min(len(upper.fields), len(lower.fields)) > 1
    # If rows have as many fields, nothing is split: other rows have an additional last field.
    n_alike = sum(len(record.fields) == len(upper.fields) for record in body)
    parted = parted and 4 * n_alike < len(body)
    if not parted or len(upper.fields) + len(lower.fields) - 1 != width:
        return None
    if body and is_above_values(body[0], body[1:]):
        return None
    name = f"{upper.fields[-1]} {lower.fields[0]}".strip()
    fields = [*upper.fields[:-1], name, *lower.fields[1:]]
    whole = Record(fields, upper.first_line, lower.last_line)
    is_header = all(kind_of(field) == "word" for field in fields) and len(set(fields)) == width
    return whole if is_header else None


def _n_sections(records: Sequence[Record], width: int) -> int:
    """Count the records up to the last line such as [Data] above a table of three columns."""
    above = 0
    for i, record in enumerate(records[: min(_MOST_ABOVE, len(records) - 2)]):
        if len(record.fields) >= width:
            break
        above = i + 1 if len(record.fields) == 1 and width >= 3 else above
    return above


def _n_above_header(records: Sequence[Record], width: int) -> int:
    """Count the records above a record of words over values: shorter ones, or pairs."""
    shorter = len(records[0].fields) < width
    for i, record in enumerate(records[: min(_MOST_ABOVE, len(records) - 2)]):
        # With thousands of columns this check of the first record is skipped.
        below = records[i + 1 :]
        names = is_above_values(record, below) or (shorter and _is_above_levels(record, below))
        if i and len(record.fields) == width and names:
            # A table is not the title of the next one.
            return 0 if i > 2 and is_above_values(records[0], records[1:i]) else i
        # In a two-column table, pairs such as Station;Berlin are recognised by a blank line.
        is_pair = width == 2 and record.n_filled == 2 and _is_pair_above(records, i)
        if len(record.fields) >= width and record.n_filled > 1 and not is_pair:
            break
    return 0


def _is_pair_above(records: Sequence[Record], i: int) -> bool:
    """Return whether a record is one of a few pairs above a blank line and the table."""
    few = records[: _MOST_ABOVE + 1]
    gaps = (j for j, (a, b) in enumerate(pairwise(few), 1) if b.first_line > a.last_line + 1)
    end = next(gaps, 0)
    return i < end and all(kind_of(record.fields[0]) == "word" for record in few[:end])


def _is_title(record: Record, width: int, usual: int) -> bool:
    """Return whether a record is above a table: a title, or a pair such as Station;Berlin."""
    # `width` and `usual` are the usual numbers of fields and of nonblank fields.
    if record.n_filled <= 1:
        return width >= 2 and (width >= 3 or len(record.fields) < width)
    # Spreadsheets pad lines with blanks. In R's tables the header has one field less.
    is_first = all(record.fields[: record.n_filled])
    return is_first and 2 * record.n_filled <= usual and record.n_filled < usual - 1


def _is_header(head: Record, body: Sequence[Record]) -> bool:
    """Return whether a record names the columns, by the values below each of its fields."""
    n_numbers = n_fractions = n_recurring = n_names = n_values = n_above = 0
    for i, field in enumerate(head.fields):
        below = nonblank_values(body, i)
        if field in BLANKS or field.startswith("Unnamed"):
            continue
        kind = kind_of(field)
        if NUMBER.fullmatch(field):
            # A number above only words is a name.
            n_names += bool(below) and not any(NUMBER.fullmatch(value) for value in below)
            n_numbers += 1
            n_recurring += field in below
            n_fractions += "." in field or "," in field
        elif kind != "word" and 2 * sum(kind_of(value) == kind for value in below) > len(below):
            # A date above dates, an amount above amounts.
            n_values += 1
        elif kind == "word" and below and all(kind_of(value) != "word" for value in below):
            # Words above numbers: certainly a header.
            n_above += 1
        elif field in below:
            n_recurring += 1
        else:
            n_names += 1
    if n_values or n_above:
        return n_above > n_values
    # Numbers that run 0, 1, 2 are like default column names.
    numbers = _integers([field for field in head.fields if NUMBER.fullmatch(field)])
    if len(numbers) >= 3 and all(later == number + 1 for number, later in pairwise(numbers)):
        return n_names > 0
    if not n_numbers:
        # A name rarely occurs among the values below it.
        return 4 * n_recurring < max(n_names, 1)
    # A name may be a number such as a year, but mostly fractional numbers are not names.
    if n_fractions or n_recurring:
        return n_names > n_numbers + n_recurring
    return n_names > 0


def is_above_values(head: Record, body: Sequence[Record]) -> bool:
    """Return whether a record of words is above rows with other kinds of values."""
    kinds = [kind_of(field) for field in head.fields]
    below = [[kind_of(value) for value in nonblank_values(body, i)] for i in range(len(kinds))]
    above = [
        kind == "word" and bool(b) and "word" not in b for kind, b in zip(kinds, below, strict=True)
    ]
    return any(above) and all(kind in ("word", "blank") for kind in kinds)


def _integers(fields: Sequence[str]) -> list[int]:
    """Return fields as integers; none if one of them is something else."""
    are_short = all(field.isdecimal() and len(field) < 9 for field in fields)
    return [int(field) for field in fields] if are_short else []


def _column_names(
    head: Record, body: Sequence[Record], width: int, name: str
) -> tuple[list[str], list[Notice]]:
    """Return the names, with numbers for blank ones."""
    fields, notices = list(head.fields), list[Notice]()
    wider = [len(record.fields) == len(fields) + 1 for record in body]
    all_wider = len(body) > 2 and all(wider) and all(record.fields[-1] for record in body)
    if all_wider and _are_row_names([record.fields[0] for record in body]):
        # As in R's tables: row names have no heading.
        fields = ["row name", *fields]
        sentence = "Each row has one field more than the header: the first is used as row name."
        notices.append(Notice(sentence, name, code="LIN014"))
    surplus = [r for r in body if any(r.fields[len(fields) :])]
    if 2 * len(surplus) >= len(body) > 0 and width > len(fields):
        sentence = f"The header names {len(fields)} of {width} columns: the others are numbered."
        notices.append(Notice(sentence, name, code="LIN015"))
    numbers = numbered("column", max(len(fields), width))
    # A line break in a name is for layout only.
    names = [" ".join((field or number).split()) for field, number in zip_longest(fields, numbers)]
    most = LIMITS.max_label_chars
    return [n if len(n) <= most else f"{n[: most - 1]}…" for n in names], notices


def _are_row_names(first: Sequence[str]) -> bool:
    """Return whether the first fields are row names: distinct words, or 1, 2, 3."""
    if len(set(first)) < len(first) or not all(first):
        return False
    numbers = _integers(first)
    in_order = all(later > number for number, later in pairwise(numbers))
    return all(kind_of(field) == "word" for field in first) or (
        len(numbers) > 0 and numbers[0] < 2 and in_order
    )


def _join_groups(head: Record, body: Sequence[Record]) -> list[str] | None:
    """Return column names below names of column groups; None if there are no groups."""
    # The name of a group is above its first column only, followed by blank fields, or above each of
    # its columns.
    if len(body) < 3 or len(body[0].fields) != len(head.fields):
        return None
    below = body[0].fields
    pairs = list(zip(head.fields, below, strict=True))
    shared = [not upper and bool(lower) for upper, lower in pairs]
    shared += [name == following for name, following in pairwise(head.fields)]
    if not any(shared) or not head.fields:
        return None
    below_both = body[2:] if _units(body[1:]) else body[1:]
    if not (is_above_values(body[0], below_both) or _is_above_levels(body[0], below_both)):
        return None
    names, group = list[str](), ""
    for upper, lower in pairs:
        # A name above a blank is that of the column, not of a group.
        group = upper if upper else group
        names.append(f"{group} {lower}".strip() if lower else upper)
        group = group if lower else ""
    return names


def _is_above_levels(head: Record, body: Sequence[Record]) -> bool:
    """Return whether a record of words is above columns of levels without being one of them."""
    if any(kind_of(field) not in ("word", "blank") for field in head.fields):
        return False
    n_levels = 0
    for i, field in enumerate(head.fields):
        below = nonblank_values(body, i)
        if len(below) < _FEWEST_LEVELS or 2 * len(set(below)) > len(below):
            continue
        if field in below:
            return False
        n_levels += bool(field)
    return 2 * n_levels >= len(head.fields) and n_levels > 1


def _name_with_unit(name: str, unit: str, *, is_named: bool) -> str:
    bare = unit.strip("[]()")
    if not _is_unit(unit) or name.endswith((f"[{bare}]", f"({bare})")):
        return name
    return f"{name} ({bare})" if is_named else unit


def _is_unit(field: str) -> bool:
    """Distinguish a unit from a rule of dashes below a header."""
    return re.search(r"[\w%°$€£]", field) is not None


def _units(body: Sequence[Record]) -> list[str]:
    """Return the first record below the header if it contains units: words above numbers only."""
    if len(body) < 3:
        return []
    first, rest = body[0].fields, body[1:]
    if _has_other_quotes(first):
        return []
    n_units = 0
    for i, field in enumerate(first):
        below = nonblank_values(rest, i)
        numeric = are_numbers(below)
        # A unit does not begin with a minus sign: the first row may be all negative.
        unit = _UNIT.fullmatch(field) and not NUMBER.fullmatch(field)
        if numeric and field and (field in BLANKS or not unit):
            return []
        if not numeric and field in below:
            return []
        n_units += numeric and bool(field)
    # One word above one column of numbers may be an error.
    return first if n_units >= 2 else []


def _has_other_quotes(fields: Sequence[str]) -> bool:
    """Return whether this is a row with other quotation marks than the file's."""
    return any(field.startswith("'") and field.endswith("'") for field in fields)


def _n_labels(body: Sequence[Record]) -> int:
    """Count the records below the header that describe columns, as survey tools write them."""
    for n in range(_MOST_LABELS, 0, -1):
        labels, rest = body[:n], body[n:]
        if len(rest) >= _FEWEST_BELOW and all(_is_label(label.fields, rest) for label in labels):
            return n
    return 0


def _is_label(fields: Sequence[str], rest: Sequence[Record]) -> bool:
    """Return whether a record has words only, some above numbers or dates and longer than units."""
    are_words = all(kind_of(field) == "word" for field in fields) and not _has_other_quotes(fields)
    if len(fields) < len(rest[0].fields) or not are_words:
        return False
    n_above, longest = 0, max(map(len, fields))
    for i, field in enumerate(fields):
        below = nonblank_values(rest, i)
        if field in below:
            return False
        n_above += bool(below) and all(kind_of(value) != "word" for value in below)
    return n_above >= 2 and longest > _LONGEST_UNIT and len(set(fields)) > len(fields) / 2


def _are_names(fields: Sequence[str], above: Sequence[str]) -> bool:
    """Return whether a line of words above numbers has names rather than units or types."""
    is_full = len(fields) == len(above) == len({field.casefold() for field in fields})
    words = {word.casefold().rstrip("s") for field in fields for word in field.split()}
    return (
        is_full
        and all(_NAME.fullmatch(field) for field in fields)
        and not words & _UNIT_WORDS
        and max(map(len, fields)) > 4
    )
