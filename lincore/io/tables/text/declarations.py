"""Files that declare their columns: Orange's types and roles, and ARFF, the format of Weka."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from lincore.errors import DataError
from lincore.io.tables.lines.kinds import NUMBER
from lincore.io.tables.text.text_import import DeclaredRole, Record, nonblank_values

_SPARSE = "The rows are sparse: only nonzero values are listed."
_AS_CSV = "Save it as CSV (text with one row per line) and load that."
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
# An item of a basket, such as bread or milk=2; never a number.
_ITEM = re.compile(r"[^\W\d][^=\"]*(=[^=\"]+)?")
_COUNTED_ITEM = re.compile(r"(^|[,\t])\s*[^\W\d][^=,\t\"]*=\s*\d")
_BASKET_CHARS, _BASKET_LINES, _FEWEST_LINES = 20_000, 50, 3
_ARFF_RELATION = re.compile(r"(?:[ \t]*(?:%[^\n]*)?\n)*+[ \t]*@relation\b", re.IGNORECASE)
_ARFF_DATA = re.compile(r"(?m)^\s*@data\b.*$", re.IGNORECASE)
_ARFF_ATTRIBUTE = re.compile(
    r"(?m)^\s*@attribute\s+(?:'((?:[^'\\\n]|\\.)*+)'|\"((?:[^\"\\\n]|\\.)*+)\"|([^\s{]+))",
    re.IGNORECASE,
)


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
    n_marks = sum("#" in name for name in names)
    known = [found for found in marked if found and (found[1] or found[2])]
    if known and len(known) == n_marks:
        parts = [
            found.groups() if found else ("", "", name)
            for found, name in zip(marked, names, strict=True)
        ]
        types = [_TYPES[mark.lower()] for _, mark, _ in parts]
        return _declared([name for *_, name in parts], types, [_ROLES[mark] for mark, *_ in parts])
    return _below(names, records[1:])


def _below(names: list[str], records: Sequence[Record]) -> Declared | None:
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
    types = [_type_of(field, column) for field, column in zip(words, columns, strict=True)]
    known = [one for one in types if one is not None]
    # Letters may also be values: require a role, or a type above numbers.
    tells = any(bare) if has_roles else False
    tells |= any(
        one == "number" and column and all(map(NUMBER.fullmatch, column))
        for one, column in zip(types, columns, strict=True)
    )
    if len(known) < width or not any(words) or not tells:
        return None
    roles = [_ROLES[field.lower()] for field in bare] if has_roles else [_ROLES[""]] * width
    return _declared(names, known, roles, n_lines)


def _declared(
    names: list[str], types: list[DeclaredType], roles: list[MaybeRole], n_lines: int = 1
) -> Declared:
    # A number without a role is a measurement, even if it numbers the rows.
    pairs = zip(roles, types, strict=True)
    found: list[MaybeRole] = [r or ("feature" if t == "number" else "") for r, t in pairs]
    return Declared(names, types, found, n_lines)


def _type_of(field: str, column: Sequence[str]) -> DeclaredType | None:
    """Return the type declared by a word, or the listed values of a category."""
    if field.lower() in _TYPES:
        return _TYPES[field.lower()]
    listed = {value.replace("\\ ", " ") for value in re.split(r"(?<!\\)[\s,|]+", field)}
    return "category" if len(listed) > 1 and column and listed.issuperset(column) else None


def _is_basket(text: str) -> bool:
    """Whether each line lists items, a third of them with numbers: bread, milk=2."""
    lines = [line for line in text[:_BASKET_CHARS].splitlines() if line.strip()][:_BASKET_LINES]
    if len(lines) < _FEWEST_LINES or not _COUNTED_ITEM.search(lines[0]):
        return False
    fields = [field.strip() for line in lines for field in re.split("[,\t]", line)]
    n_counted = sum("=" in field for field in fields)
    return all(map(_ITEM.fullmatch, fields)) and 3 * n_counted >= len(fields)


def refuse_basket(text: str, name: str) -> None:
    """Reject a sparse Orange file, whose rows list only nonzero values."""
    if name.casefold().removesuffix(".gz").endswith(".basket") or _is_basket(text):
        raise DataError(_SPARSE, where=name, remedy=_AS_CSV)


def is_arff(text: str) -> bool:
    r"""Return whether a text is ARFF: comments, then the name of a relation."""
    return _ARFF_RELATION.match(text[:100_000]) is not None


def arff_as_csv(text: str, name: str) -> str:
    r"""Return the rows of an ARFF file below a line of names, keeping line numbers."""
    data = _ARFF_DATA.search(text)
    if data is None:
        raise DataError(
            "The ARFF file has no line @data.", where=name, remedy="Load the whole file."
        )
    names = [
        "".join(filter(None, found)) for found in _ARFF_ATTRIBUTE.findall(text[: data.start()])
    ]
    rows = re.sub(r"(?m)^\s*%.*$", "", text[data.end() :])
    if re.match(r"\s*\{", rows):
        raise DataError(_SPARSE, where=name, remedy=_AS_CSV)
    above = "\n" * text.count("\n", 0, data.start())
    header = ",".join("'" + re.sub(r"\\(.)", r"\1", one).replace("'", "''") + "'" for one in names)
    return f"{above}{header}{rows}"
