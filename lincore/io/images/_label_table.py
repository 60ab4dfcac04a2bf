"""A table of classes beside images without class folders, such as labels.csv."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

from lincore.io.files.archives import SkippedFile
from lincore.io.images._classes import bare_name

_ENDINGS = {".csv", ".tsv", ".txt"}
_MOST_CHARS, _MOST_TABLES, _MOST_CLASSES = 20_000_000, 20, 200
# Share of the images that a table must name.
_MOSTLY = 0.9
_NAME = re.compile(
    r"(?:^|[\W_])(?:label|class|target|category|breed|species|diagnosis|klasse|classe)s?(?:$|[\W_])",
    re.IGNORECASE,
)


class LabelTable(NamedTuple):
    """The classes of images according to a table."""

    path: str  # of the table
    column: str  # the column of the classes
    labels: tuple[str | None, ...]  # by image; None if the table does not name it


def find_label_table(
    files: Sequence[str], read: Callable[[int], bytes], paths: Sequence[str]
) -> LabelTable | None:
    """Return the classes of images in the first table that names most of them, if any."""
    tables = [i for i, path in enumerate(files) if _is_table(path)]
    for i in tables[:_MOST_TABLES]:
        try:
            raw = read(i)
        except SkippedFile:
            continue
        for header, *rows in _rows_of(raw):
            labelled = _labels(header, rows, paths)
            if labelled is not None:
                return LabelTable(files[i], *labelled)
    return None


def _is_table(path: str) -> bool:
    is_hidden = any(step.startswith((".", "__MACOSX")) for step in path.split("/"))
    return PurePosixPath(path).suffix.casefold() in _ENDINGS and not is_hidden


def _rows_of(raw: bytes) -> Iterator[list[list[str]]]:
    """Yield the rows by each separator that divides all of them alike."""
    if len(raw) > _MOST_CHARS:
        return
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = raw.decode("cp1252", errors="replace")
    lines = [line for line in text.splitlines() if line.strip()]
    for separator in ",;\t ":
        try:
            rows = [
                [field.strip() for field in row] for row in csv.reader(lines, delimiter=separator)
            ]
        except csv.Error:
            continue
        if len(rows) > 2 and len(rows[0]) > 1 and len({len(row) for row in rows}) == 1:
            yield rows


def _labels(
    header: list[str], rows: Sequence[list[str]], paths: Sequence[str]
) -> tuple[str, tuple[str | None, ...]] | None:
    """Return the column of the classes and the class of each image; None if most are not named."""
    # Tables often list the names of images without their endings.
    names = [bare_name(path) for path in paths]
    if len(set(names)) < len(names):
        return None
    for j in range(len(header)):
        row_of = {bare_name(row[j]): row for row in rows}
        if len(row_of) < len(rows):  # several rows of an image, such as objects in it
            continue
        used = [row_of[name] for name in names if name in row_of]
        if len(used) < _MOSTLY * len(names):
            continue
        distinct = {k: len({row[k] for row in used}) for k in range(len(header)) if k != j}
        most = min(_MOST_CLASSES, len(used) // 2)
        usable = [k for k, number in distinct.items() if 2 <= number <= most]
        if usable:
            k = min(usable, key=lambda k: (_NAME.search(header[k]) is None, distinct[k]))
            return header[k], tuple(row_of[n][k] or None if n in row_of else None for n in names)
    return None
