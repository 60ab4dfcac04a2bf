"""Delimited text larger than memory: sampled lines, and all rows block by block."""

from __future__ import annotations

import io
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import pandas as pd

from lincore.data.frames import with_columns
from lincore.errors import DataError, Notice
from lincore.io.files.sources import IteratedBytes, LargeFile, NulError, whole_lines
from lincore.io.tables.column_changes import cut_labels, mark_missing
from lincore.io.tables.read import read_text, stripped
from lincore.io.tables.row_source import Findings, RowSource
from lincore.io.tables.table import Table
from lincore.io.tables.text.dialect import without_comments
from lincore.io.tables.text.encoding import decode
from lincore.io.tables.text.fields import split
from lincore.io.tables.text.numbers import read_numbers
from lincore.io.tables.text.options import ReadOptions, TextImport
from lincore.io.tables.text.rows import csv_arguments, parse_error
from lincore.io.tables.text.uneven_lines import LineFitter
from lincore.limits import Limits
from lincore.utils.threads import read_ahead

_HEAD_BYTES = 65_536
_LOOKED_AT = 1_000_000
# Cells parsed at a time: 4 MB as numbers. A pass holds several copies of them.
BLOCK_CELLS = 500_000
_FEW_WORDS = 5
_KNOWN_ROWS = 500
_BUFFER_BYTES, _MOST_CARRIED = 1_000_000, 100_000
_TOO_LONG = pd.errors.ParserError
_SEED = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class LargeText(RowSource):
    """All rows of a text table; a single part, since rows begin where those above it end."""

    file: LargeFile
    encoding: str | None  # None if it is UTF-8 with usual line ends and can be read directly
    layout: TextImport  # how its rows are divided into columns, without rows
    known: Sequence[Sequence[str]]  # the fields of some rows
    is_uneven: bool  # whether uneven lines are known, so that all lines are checked
    blanks: str = " \t"  # spaces or tabs, if there are any: only then fields are stripped

    def frames(
        self, columns: Sequence[str], texts: Sequence[str] = (), findings: Findings = None
    ) -> Iterator[pd.DataFrame]:
        """Yield some columns of all rows, block by block, converted to numbers if possible."""
        words: dict[str, set[str]] = {}
        # The columns are those of the sampled lines.
        fitter = LineFitter(self.layout, self.known, may_join=False, may_widen=False)
        n_done = 0
        try:
            for frame in self._parsed(texts, fitter if self.is_uneven else None):
                n_done += len(frame)
                yield self._convert(frame[list(columns)], texts, words)
        except _TOO_LONG:
            if self.is_uneven:
                raise
            # The rows before the line that was too long are unaffected.
            for frame in self._parsed(texts, fitter):
                n_known = min(n_done, len(frame))
                n_done -= n_known
                if n_known < len(frame):
                    yield self._convert(frame.iloc[n_known:][list(columns)], texts, words)
        if findings is not None:
            findings += fitter.notices()
            for name in filter(words.get, words):
                some = ", ".join(repr(word[:30]) for word in sorted(words[name])[:5])
                sentence = f"Numbers except {some}: read as missing."
                findings.append(Notice(sentence, f"column {name!r}", code="LIN044"))

    def _parsed(self, texts: Sequence[str], fitter: LineFitter | None) -> Iterator[pd.DataFrame]:
        """Yield all columns as read by pandas, with or without repairing lines first."""
        # Everything as text if a thousands mark may be mistaken for a decimal point.
        # Labels recur: as objects each is created once.
        labels = dict.fromkeys(texts, object)
        layout, first_line = self.layout, self.layout.first_line
        everything: Any = "str" if "." in layout.marks.thousands else labels
        arguments = csv_arguments(layout)
        arguments["skipinitialspace"] = bool(set(self.blanks) - {layout.separator})
        if fitter is None and len(layout.comment) == 1:
            arguments["comment"] = layout.comment
        with self.file.open(self.encoding) as stream:
            for _ in range(first_line - 1):
                stream.readline()
            rows: Any = stream
            if fitter is not None:
                texts_of_rows = _fit_stream(stream, fitter, layout.comment, first_line, self.limits)
                rows = io.BufferedReader(IteratedBytes(texts_of_rows), _BUFFER_BYTES)
            try:
                blocks = pd.read_csv(
                    rows,
                    dtype=everything,
                    decimal=layout.marks.decimal,
                    chunksize=max(1, BLOCK_CELLS // len(layout.names)),
                    **arguments,
                )
                yield from read_ahead(iter(blocks))
            except (pd.errors.ParserError, UnicodeDecodeError, OverflowError) as error:
                too_long = fitter is None and isinstance(error, _TOO_LONG)
                raise (error if too_long else parse_error(error, self.file.name)) from error

    def _convert(
        self, frame: pd.DataFrame, texts: Sequence[str], words: dict[str, set[str]]
    ) -> pd.DataFrame:
        converted, options = {}, self.layout.options
        for name in map(str, frame):
            if name in texts:
                converted[name] = _as_levels(frame[name], options)
                continue
            if frame[name].dtype.kind != "O":
                continue
            column = converted[name] = stripped(frame[name], options)
            numbers = read_numbers(column, self.layout.marks, options.decimal is not None)
            if numbers is not None:
                converted[name] = numbers[0]
                odd = column[column.notna() & numbers[0].isna()]
                words.setdefault(name, set()).update(odd.unique()[:_FEW_WORDS])
        wanted = {n: v for n, v in (options.missing_in or {}).items() if n in frame}
        return mark_missing(with_columns(frame, converted) if converted else frame, wanted)


def _fit_stream(
    stream: BinaryIO, fitter: LineFitter, comment: str, line: int, limits: Limits
) -> Generator[bytes]:
    """Yield the rows of a UTF-8 stream, with uneven lines repaired or skipped."""
    carried, quote = "", fitter.quote
    for block in whole_lines(stream, fitter.name, limits):
        text = carried + block.decode("utf-8", "replace").replace("\r\n", "\n")
        end = _whole_records_end(text, quote)
        text, carried = text[:end], text[end:]
        yield fitter.fit(without_comments(text, comment), line).encode("utf-8", "replace")
        line += text.count("\n")
    yield fitter.fit(without_comments(carried, comment), line).encode("utf-8", "replace")


def _whole_records_end(text: str, quote: str) -> int:
    """Return the start of the last line that may open a multi-line text, or the end."""
    if not quote or text.count(quote) % 2 == 0:
        return len(text)
    start = text.rfind("\n", 0, text.rindex(quote)) + 1
    return start if start > 0 and len(text) - start < _MOST_CARRIED else len(text)


def _as_levels(column: pd.Series[Any], options: ReadOptions) -> pd.Series[Any]:
    """Return a text column as categorical, stripping its levels instead of its values."""
    positions, distinct = pd.factorize(column)
    texts = pd.DataFrame({column.name: stripped(pd.Series(distinct, dtype="str"), options)})
    cut_at = {n: mark for n, mark in (options.cut_at or {}).items() if n == column.name}
    codes, levels = pd.factorize(cut_labels(texts, cut_at)[column.name])
    codes = np.append(codes, -1)[positions]
    return pd.Series(pd.Categorical.from_codes(codes, levels), index=column.index)


def open_large_text(file: LargeFile, options: ReadOptions) -> Table:
    """Detect how to read a large text table, and read randomly sampled lines."""
    encoding = _encoding(file, options)
    try:
        lines = _draw_lines(file, encoding)
    except UnicodeDecodeError as error:
        # A byte far from the beginning shows that it is not UTF-8.
        encoding = decode(bytes(error.object), file.name, limits=file.limits)[1]
        lines = _draw_lines(file, encoding)
    except NulError:
        if encoding is not None:
            raise
        # Recoding removes them.
        encoding = "utf-8"
        lines = _draw_lines(file, encoding)
    # The sample is small, even though the whole exceeds the limits.
    enough = max(len(lines.text), file.limits.max_table_bytes)
    cells = max(len(lines.text), file.limits.max_cells)
    own = replace(file.limits, max_table_bytes=enough, max_cells=cells)
    own = replace(own, max_file_bytes=enough, max_rows=cells)
    try:
        drawn = read_text(lines.text, file.name, replace(options, encoding="utf-8"), own)
    except DataError as error:
        raise error.changed(where=lines.in_file(error.notice.where)) from error
    if drawn.is_rewritten:
        raise DataError(
            "Fixed-width columns, or quotation marks after a backslash, need the whole file.",
            where=file.name,
            remedy="Save it as CSV, or load fewer rows.",
        )
    notices = tuple(replace(n, where=lines.in_file(n.where)) for n in drawn.notices)
    *above, rows = lines.text.split(b"\n", drawn.first_line - 1)
    n_rows = lines.n_lines - sum(bool(line.strip()) for line in above)
    reading = replace(
        drawn.reading,
        n_rows=n_rows,
        encoding=encoding or "utf-8",
        packed=file.is_packed,
        in_blocks=True,
    )
    # Short lines are padded by pandas too.
    is_uneven = options.uneven in ("skip", "keep") or any(
        line.outcome != "filled up" for line in drawn.uneven
    )
    layout = replace(drawn, options=options, frame=pd.DataFrame(), notices=[], records=[])
    if options.quote is None and layout.quote.encode() not in rows:
        # An unclosed quotation mark would swallow the rest of the file.
        layout.quote = ""
    some = rows[:_HEAD_BYTES].decode("utf-8", "replace").splitlines()[:_KNOWN_ROWS]
    known = [split(line, layout.separator, layout.quote) for line in some if line.strip()]
    source = LargeText(
        name=file.name,
        limits=file.limits,
        n_rows=n_rows,
        reason=file.reason,
        file=file,
        encoding=encoding,
        layout=layout,
        known=known,
        is_uneven=is_uneven,
        blanks=lines.blanks,
    )
    return Table(drawn.frame, file.name, notices, None, reading, source)


class _Lines(NamedTuple):
    """Lines of a file and their line numbers, counted from 1."""

    text: bytes
    numbers: list[int]
    n_lines: int
    blanks: str

    def in_file(self, where: str) -> str:
        """Convert a position among the lines to a position in the file."""
        named = re.search(r"\blines? (\d+(, \d+)*)", where)
        if named is None:
            return where
        numbers = [int(line) for line in named[1].split(", ")]
        numbers = [self.numbers[line - 1] for line in numbers if line <= len(self.numbers)]
        return where[: named.start(1)] + ", ".join(map(str, numbers)) + where[named.end(1) :]


def _encoding(file: LargeFile, options: ReadOptions) -> str | None:
    """Return the encoding if the text must be recoded; reject binary files."""
    with file.open() as stream:
        head = stream.read(_LOOKED_AT)
    # A multi-byte character must not be cut.
    end = head.rfind(b"\n") + 1 if not head.startswith((b"\xff\xfe", b"\xfe\xff")) else 0
    head = head[: end or len(head) // 4 * 4]
    encoding = decode(head, file.name, options.encoding, file.limits)[1]
    only_returns = b"\r" in head and b"\n" not in head
    return None if encoding in ("utf-8", "ascii") and not only_returns else encoding


def _draw_lines(file: LargeFile, encoding: str | None) -> _Lines:
    """Return the first lines of a file and a uniform random sample of the others."""
    limits, rng = file.limits, np.random.default_rng(_SEED)
    keys, numbers, lines = [np.empty(0)], [np.empty(0, dtype=np.intp)], list[bytes]()
    head, blanks, threshold, n_bytes, n_lines, n_filled = b"", "", 1.0, 0, 0, 0
    with file.open(encoding) as stream:
        for block in whole_lines(stream, file.name, limits):
            if encoding is None and not block.isascii():
                block.decode("utf-8")
            ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n")) + 1
            lengths = np.diff(ends, prepend=0)
            first = 0
            # Column names, usually in the first line, may contain some.
            below = block.find(b"\n") + 1 if not head else 0
            blanks += "".join(
                c for c in " \t" if c not in blanks and block.find(c.encode(), below) >= 0
            )
            if not head:
                first = min(int(np.searchsorted(ends, _HEAD_BYTES)) + 1, len(ends))
                head = block[: ends[first - 1]]
                # Unpacked it is larger than that, by an unknown factor.
                size = max(file.n_bytes, limits.max_table_bytes if file.is_packed else 0)
                n_expected = size / (len(block) / len(ends))
                threshold = min(
                    1.0, limits.max_drawn_bytes / size, limits.max_rows_in_memory / n_expected
                )
            drawn = rng.random(len(ends))
            chosen = np.flatnonzero(drawn[first:] < threshold) + first
            keys.append(drawn[chosen])
            numbers.append(n_lines + chosen + 1)
            lines += [
                block[end - length : end]
                for end, length in zip(ends[chosen], lengths[chosen], strict=True)
            ]
            n_bytes += int(lengths[chosen].sum())
            n_lines += len(ends)
            n_filled += int((lengths > 1 + block.startswith(b"\r", ends[0] - 2)).sum())
            while n_bytes > limits.max_drawn_bytes or len(lines) > limits.max_rows_in_memory:
                threshold *= 0.8
                key, number = np.concatenate(keys), np.concatenate(numbers)
                keep = key < threshold
                keys, numbers = [key[keep]], [number[keep]]
                lines = [lines[i] for i in np.flatnonzero(keep)]
                n_bytes = sum(map(len, lines))
    n_first = head.count(b"\n")
    line_numbers = [*range(1, n_first + 1), *np.concatenate(numbers).tolist()]
    return _Lines(head + b"".join(lines), line_numbers, n_filled, blanks)
