"""Damaged copies of one table: the faults of strangers' files, with what is to be read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from typing import NamedTuple

NAMES = ["DAY", "AT", "COUNT", "CODE", "PRICE", "KIND", "WORDS", "PAGE", "NOTE"]
N_ROWS = 40


def _row(i: int) -> list[str]:
    words = (
        f"Panel {i % 7}, grey",
        f'A pipe of {i % 5 + 2}", steel',
        f"Plain bolt {i % 6}",
        'The "best" one',
    )
    return [
        f"{i % 28 + 1:02d}/0{i % 9 + 1}/2018",
        f"{i % 12 + 8}:{i * 7 % 60:02d}",
        str(i % 9 + 1),
        f"P-{1000 + i * 37}",
        f"${i * 3.7 + 10:.2f}",
        ("wood", "iron", "glass")[i % 3],
        words[i % 4],
        f"http://made.example/{i}",
        "" if i % 4 else "late",
    ]


ROWS = [_row(i) for i in range(N_ROWS)]


class Damaged(NamedTuple):
    """A file, its header and rows as they are to be read, and how many cells may differ."""

    kind: str
    raw: bytes
    names: list[str]
    rows: list[list[str]]
    slack: int = 0


def written(rows: list[list[str]], separator: str = ",", quote: str = '"', end: str = "\n") -> str:
    """Return a text as a spreadsheet writes it."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=separator, quotechar=quote, lineterminator=end)
    writer.writerows(rows)
    return stream.getvalue()


TEXT = written([NAMES, *ROWS])
LINES = TEXT.split("\n")[:-1]


def _with_line(i: int, line: str) -> bytes:
    return ("\n".join([*LINES[:i], line, *LINES[i + 1 :]]) + "\n").encode()


def _quoted(row: list[str], mark: str = '"') -> str:
    return ",".join(mark + field.replace(mark, 2 * mark) + mark for field in row)


def of_single_rows(step: int = 1) -> Iterator[Damaged]:
    """Yield files of which one row is damaged, of every `step`-th row."""
    for i in range(0, N_ROWS, step):
        row = ROWS[i]
        fields = next(csv.reader([LINES[i + 1]]))
        whole = [written([[field]]).strip() if field else "" for field in fields]
        for j in range(9):
            more = ",".join([*whole[:j], "", *whole[j:]])
            yield Damaged("a separator too many", _with_line(i + 1, more), NAMES, ROWS, 9)
            if j < 8:
                pair = whole[j] + whole[j + 1]
                less = ",".join([*whole[:j], pair, *whole[j + 2 :]])
                yield Damaged("a separator too few", _with_line(i + 1, less), NAMES, ROWS, 9)
            for place in (0, 3):
                at = min(place, len(fields[j]))
                stray = fields[j][:at] + '"' + fields[j][at:]
                inner = ",".join([*whole[:j], stray, *whole[j + 1 :]])
                yield Damaged("a stray quotation mark", _with_line(i + 1, inner), NAMES, ROWS, 9)
        for mark in ";|\t":
            other = mark.join(whole)
            yield Damaged("another separator in a row", _with_line(i + 1, other), NAMES, ROWS)
        yield Damaged(
            "another quotation mark in a row", _with_line(i + 1, _quoted(row, "'")), NAMES, ROWS
        )
        slashed = ",".join('"' + field.replace('"', '\\"') + '"' for field in row)
        yield Damaged("a backslash in a row", _with_line(i + 1, slashed), NAMES, ROWS)
        plain = [field.replace('"', "") for field in whole]
        for name, line in (
            ("each separator twice", ",,".join(whole)),
            ("no quotation marks in a row", ",".join(row)),
            ("blanks in a row", written([row], " ").strip("\n")),
        ):
            yield Damaged(name, _with_line(i + 1, line), NAMES, ROWS, 9)
        for j in (0, 3, 6):
            half = len(plain[j]) // 2
            parted = plain[j][:half] + "\n" + plain[j][half:]
            line = ",".join([*whole[:j], parted, *whole[j + 1 :]])
            if "," not in parted:
                yield Damaged("a line break in a field", _with_line(i + 1, line), NAMES, ROWS, 1)
        bare = ",".join('"' + field + '"' for field in row)
        yield Damaged("marks not doubled in a row", _with_line(i + 1, bare), NAMES, ROWS)


def of_whole_files() -> Iterator[Damaged]:
    """Yield files that are written otherwise, or hold more than the table."""
    for mark in ",;\t|":
        for quote in "\"'":
            raw = written([NAMES, *ROWS], mark, quote).encode()
            yield Damaged(f"separator {mark!r}, quotation mark {quote}", raw, NAMES, ROWS)
    for end in ("\r\n", "\r"):
        raw = written([NAMES, *ROWS], end=end).encode()
        yield Damaged(f"line end {end!r}", raw, NAMES, ROWS)
    for encoding in ("utf-8-sig", "utf-16", "utf-32", "cp1252"):
        yield Damaged(f"encoding {encoding}", TEXT.encode(encoding), NAMES, ROWS)
    yield Damaged("single blanks", written([NAMES, *ROWS], " ").encode(), NAMES, ROWS)
    header = ";".join(NAMES) + TEXT[TEXT.index("\n") :]
    yield Damaged("a header under another separator", header.encode(), NAMES, ROWS)
    cut = TEXT[: TEXT.rindex(",P-")]
    short = [*ROWS[:-1], [*ROWS[-1][:3], *[""] * 6]]
    yield Damaged("a last row that was cut", cut.encode(), NAMES, short)
    names, rows = ["x", "y", "z", "kind"], [[str(i), str(i % 7), f"{i}.5", "1"] for i in range(9)]
    titled = "Report of part 0\n" + written([names, *rows], "\t")
    yield Damaged("a title of as many words as columns", titled.encode(), names, rows)
    yield Damaged("no last line end", TEXT[:-1].encode(), NAMES, ROWS)
    yield Damaged("one row", written([NAMES, ROWS[0]]).encode(), NAMES, ROWS[:1])
    yield Damaged("no header", written(ROWS).encode(), [f"column {i}" for i in range(1, 10)], ROWS)
    slashed = TEXT.replace('""', '\\"')
    yield Damaged("backslashes", slashed.encode(), NAMES, ROWS)
    for n in (1, 3):
        title = "".join(f"Sales of part {i}\n" for i in range(n))
        yield Damaged(f"{n} lines above", (title + TEXT).encode(), NAMES, ROWS)
        yield Damaged(f"{n} lines above, apart", (title + "\n" + TEXT).encode(), NAMES, ROWS)
        commas = "".join(f"Sales of part {i},,,,,,,,\n" for i in range(n))
        yield Damaged(f"{n} filled lines above", (commas + TEXT).encode(), NAMES, ROWS)
        notes = "".join(f"Note {i}: by hand, later\n" for i in range(n))
        yield Damaged(f"{n} notes below, apart", f"{TEXT}\n{notes}".encode(), NAMES, ROWS)
        note = "".join(f"Note {i}\n" for i in range(n))
        yield Damaged(f"{n} notes below", f"{TEXT}{note}".encode(), NAMES, ROWS)
        yield Damaged(f"{n} notes with commas", f"{TEXT}{notes}".encode(), NAMES, ROWS)
    groups = ",".join(["Sale", "", "", "Thing", "", "", "", "More", ""])
    joined = ["Sale DAY", "Sale AT", "Sale COUNT", "Thing CODE", "Thing PRICE", "Thing KIND"]
    joined += ["Thing WORDS", "More PAGE", "More NOTE"]
    yield Damaged("two header rows", f"{groups}\n{TEXT}".encode(), joined, ROWS)
    for kind, width in (("narrower", 4), ("as wide", 9), ("wider", 12)):
        names = [f"other {i}" for i in range(width)]
        below = written([names, *([str(i * j) for i in range(width)] for j in range(9))])
        yield Damaged(f"a {kind} table below, apart", f"{TEXT}\n{below}".encode(), NAMES, ROWS)
        if width != 9:
            yield Damaged(f"a {kind} table below", f"{TEXT}{below}".encode(), NAMES, ROWS)
    yield Damaged("blank lines between", TEXT.replace("\n", "\n\n").encode(), NAMES, ROWS)
    long = [*NAMES, "MORE", "LAST"]
    rows = [[*row, "", ""] for row in ROWS]
    text = ",".join(long) + "\n" + written(ROWS)
    yield Damaged("a header of more names", text.encode(), long, rows)
    text = ",".join(NAMES[:-1]) + "\n" + written(ROWS)
    yield Damaged("a header of fewer names", text.encode(), [*NAMES[:-1], "column 9"], ROWS)
