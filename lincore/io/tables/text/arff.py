"""ARFF, the format of Weka: its declarations become a header line."""

from __future__ import annotations

import re

from lincore.errors import DataError

_RELATION = re.compile(r"(?:[ \t]*(?:%[^\n]*)?\n)*+[ \t]*@relation\b", re.IGNORECASE)
_DATA = re.compile(r"(?m)^\s*@data\b.*$", re.IGNORECASE)
_ATTRIBUTE = re.compile(
    r"(?m)^\s*@attribute\s+(?:'((?:[^'\\\n]|\\.)*+)'|\"((?:[^\"\\\n]|\\.)*+)\"|([^\s{]+))",
    re.IGNORECASE,
)


def is_arff(text: str) -> bool:
    r"""Return whether a text is ARFF: comments, then the name of a relation."""
    return _RELATION.match(text[:100_000]) is not None


def arff_as_csv(text: str, name: str) -> str:
    r"""Return the rows of an ARFF file below a line of names, keeping line numbers."""
    data = _DATA.search(text)
    if data is None:
        raise DataError(
            "The ARFF file has no line @data.", where=name, remedy="Load the whole file."
        )
    names = ["".join(filter(None, found)) for found in _ATTRIBUTE.findall(text[: data.start()])]
    rows = re.sub(r"(?m)^\s*%.*$", "", text[data.end() :])
    if re.match(r"\s*\{", rows):
        raise DataError(
            "The rows are sparse: only nonzero values are listed.",
            where=name,
            remedy="Save it as CSV (text with one row per line) and load that.",
        )
    above = "\n" * text.count("\n", 0, data.start())
    header = ",".join("'" + re.sub(r"\\(.)", r"\1", one).replace("'", "''") + "'" for one in names)
    return f"{above}{header}{rows}"
