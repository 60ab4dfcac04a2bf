"""Detection of comments, separator and quotation marks of a text table, or of fixed columns."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import dropwhile
from operator import attrgetter
from typing import NamedTuple

from lincore.io.tables.text.fields import NUMBER, SPACES, kind_of, split
from lincore.io.tables.text.options import PLACES, ReadOptions, Record, TextImport

_MOST_CHARS = 20_000_000
_FEWEST_LINES = 5
_FEWEST_GAPPED = 3
_FEWEST_SINGLE, _MOST_SINGLE_CHARS = 3, 5_000_000
_GAP = re.compile(r"[ \t]{2,}")
_MOSTLY, _FEW_SHORT = 0.8, 0.3
# The rarer in text, the earlier: the order decides ties.
SEPARATORS = "\t|;,"

_SAMPLE_CHARS = 65_536
_SAMPLE_LINES = 30
_LARGEST_SAMPLE = 4_000_000
_SAMPLE_FIELDS = 40_000
_FEWEST_RECORDS = 12
_FEWEST_PAIRS = 3
_JUDGED = 200
# One such line among this many is damage to a single line.
_FEW_SLASHES = 10
_COMMENT_MARKS = ("#", "%", "//")
# "Smith, John" is a name, not two fields.
_QUOTED = r"^'.*'$|^\"|\"$|\n"
_UNCLEAN = re.compile(
    rf"[\t|;~^]|,(?!\s)|\d\s+[\d.,+-]|\d:[A-Za-z]|[A-Za-z]:\d|{_QUOTED}", re.DOTALL
)
_TRACES = re.compile(_QUOTED, re.DOTALL)
# Blanks and colons occur in texts and times of day, tabs rarely.
_PRIORS = {"\t": 1.2, SPACES: 0.7, ":": 0.4, PLACES: 1.0}
# They occur in numbers and formulas too: a single one per line does not separate columns.
_RARE = "~^"
# Error values of spreadsheets are not comments.
_ERRORS = r"(?!N/A|REF!|DIV/0!|VALUE!|NAME\?|NUM!|NULL!)"
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\n', re.IGNORECASE)
_RULE = re.compile(r"(?m)^[ \t]*(?:-{8,}|={8,}|_{8,})[ \t]*$")
# Lines that are quoted as a whole, as a single field; judged by the first lines of the file.
_WHOLE = re.compile(r'^"((?:[^"\n]|"")*+)"[,;\t ]*$', re.MULTILINE)
_WHOLE_LINES, _FEWEST_WHOLE, _MOSTLY_WHOLE = 200, 2, 0.5


def split_fixed_width(text: str) -> str | None:
    r"""Return the text with `PLACES` between its columns; None if it is not fixed-width."""
    # Most lines must be about as long as the longest, and between columns no line may have a
    # character.
    if len(text) > _MOST_CHARS or {"\t", PLACES} & set(text) or not text.isascii():
        return None
    lines = text.split("\n")
    filled = [line for line in lines if line.strip()]
    width = max(map(len, filled), default=0)
    short = sum(len(line.rstrip()) < _MOSTLY * width for line in filled)
    if len(filled) < _FEWEST_LINES or short > _FEW_SHORT * len(filled):
        # Lines of varying length are words between spaces, whose positions mean nothing.
        return None
    # All lines at once as one number: a bit is set if any of them has a character there.
    occupied = 0
    for line in filled:
        occupied |= int("".join("0" if mark == " " else "1" for mark in line.ljust(width)), 2)
    spans = [run.span() for run in re.finditer("1+", f"{occupied:0{width}b}")]
    if len(spans) < 2:
        return None
    return "\n".join(
        PLACES.join(line[a:b].strip() for a, b in spans) if line.strip() else "" for line in lines
    )


def split_at_gaps(text: str) -> str | None:
    r"""Return the text with `PLACES` for gaps of two or more blanks, if all lines have as many."""
    if len(text) > _MOST_CHARS or PLACES in text or "  " not in text:
        return None
    lines = [line.strip() for line in text.split("\n")]
    widths = {len(_GAP.split(line)) for line in lines if line}
    # Two blanks also occur between sentences and in justified prose.
    if len(widths) > 1 or max(widths, default=0) < 2 or sum(map(bool, lines)) < _FEWEST_GAPPED:
        return None
    return "\n".join(_GAP.sub(PLACES, line) for line in lines)


def split_at_single_blanks(text: str) -> str | None:
    r"""Return the text with `PLACES` for single blanks, if all lines have as many unquoted."""
    if len(text) > _MOST_SINGLE_CHARS or {"\t", PLACES} & set(text):
        return None
    width, n_rows, sink = 0, 0, io.StringIO()
    reader = csv.reader(io.StringIO(text), delimiter=" ", strict=True)
    writer = csv.writer(sink, delimiter=PLACES, lineterminator="\n")
    try:
        for fields in reader:
            width = width or len(fields)
            # Lines of prose differ in the number of words.
            if width < _FEWEST_SINGLE or (fields and len(fields) != width):
                return None
            writer.writerow(fields)
            n_rows += 1
    except csv.Error:
        return None
    return sink.getvalue() if n_rows >= _FEWEST_LINES else None


def find_dialect(table: TextImport) -> None:
    r"""Detect how the text is divided into fields, unless set by options."""
    text, options = table.text, table.options
    declared = _SEPARATOR_LINE.match(text)
    separator = options.separator or (declared[1] if declared else None)
    if declared:
        text = text[declared.end() - 1 :]
    comment = _comment_mark(text) if options.comment is None else options.comment
    # A rule between the lines of a printed list is no row.
    text = _RULE.sub("", text)
    bare = without_comments(text, comment)
    dialect = _best_candidate(bare, separator, options)
    if comment == "#" and options.comment is None and _hash_begins_values(text, dialect):
        bare = without_comments(text, comment, above=True)
        dialect = _best_candidate(bare, separator, options)
    inner = _unquote_lines(bare) if options.quote is None else None
    if inner is not None:
        unquoted = _best_candidate(inner, separator, options)
        # Texts in quotation marks have varying numbers of commas.
        if unquoted.score > 0 and _evenness(unquoted.records) == 1:
            dialect = unquoted._replace(is_rewritten=True)
    table.text, table.separator, table.quote, table.records, table.is_rewritten = dialect[:5]
    table.comment = comment
    named = _restore_header(text, table) if comment and options.comment is None else None
    if named is not None:
        table.text = named
        table.records = _first_records(_sample(named), table.separator, table.quote)
    table.width = _width(table.records)


def read_records(text: str, separator: str, quote: str) -> Iterator[Record]:
    """Yield the nonblank records of a text, until one cannot be read."""
    if separator == SPACES:
        # As in pandas, only ASCII blanks separate fields.
        text = re.sub(r"(?m)^ | $", "", re.sub(r"[ \t]+", " ", text))
    reader = csv.reader(
        io.StringIO(text),
        delimiter=separator,
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        skipinitialspace=True,
    )
    line = 1
    try:
        for fields in reader:
            stripped = [field.strip() for field in fields]
            if any(stripped) or len(fields) > 1:
                yield Record(stripped, line, reader.line_num)
            line = reader.line_num + 1
    except csv.Error:
        return


def split_with_other(line: str, table: TextImport, width: int) -> list[str] | None:
    """Return the fields of a single-field line if another separator gives all columns."""
    for separator in SEPARATORS + _RARE + SPACES if width > 2 else "":
        fields = split(line, separator, table.quote) if separator != table.separator else []
        # Blanks also separate the words of a sentence, few of which are numbers.
        n_words = sum(kind_of(field) == "word" for field in fields)
        is_row = separator != SPACES or 2 * n_words <= len(fields)
        if len(fields) == width and sum(map(bool, fields)) > 2 and is_row:
            return fields
    return None


def _first_records(text: str, separator: str, quote: str) -> list[Record]:
    """Return the records of a sample; with thousands of fields only as many as needed."""
    records, n_fields = [], 0
    for record in read_records(text, separator, quote):
        records.append(record)
        n_fields += len(record.fields)
        if n_fields > _SAMPLE_FIELDS and len(records) >= _FEWEST_RECORDS:
            break
    return records


def _sample(text: str) -> str:
    """Return complete lines from the beginning: enough characters and enough lines."""
    end = 0
    for _ in range(_SAMPLE_LINES):
        line_end = text.find("\n", end)
        if line_end < 0:
            return text[:_LARGEST_SAMPLE]
        end = line_end + 1
    if end < _SAMPLE_CHARS:
        end = max(text.rfind("\n", 0, _SAMPLE_CHARS) + 1, end)
    return text[: min(end, _LARGEST_SAMPLE)]


def _comment_mark(text: str) -> str:
    """Return the mark with which some early lines begin, but not most of them."""
    lines = [line for line in _sample(text).split("\n") if line.strip()]
    for mark in _COMMENT_MARKS:
        pattern = _comment_pattern(mark)
        marked = [pattern.match(line) is not None for line in lines]
        # Marks other than "#" are recognised only at the beginning of the file.
        if (marked[0] or (mark == "#" and any(marked))) and 2 * sum(marked) <= len(marked):
            return mark
    # A long heading above a short table.
    rows = list(dropwhile(lambda line: line.startswith("#"), lines))
    is_heading = 0 < len(rows) < len(lines) and not any(row.startswith("#") for row in rows)
    return "#" if is_heading else ""


def without_comments(text: str, comment: str, *, above: bool = False) -> str:
    """Empty the comment lines, or only those above the table."""
    if not comment or comment not in text:
        return text
    pattern = _comment_pattern(comment)
    if not above:
        return pattern.sub("", text)
    end = 0
    while text[end : end + 1] == "\n" or pattern.match(text, end):
        end = text.find("\n", end) + 1 or len(text)
    return pattern.sub("", text[:end]) + text[end:]


def _hash_begins_values(text: str, dialect: Candidate) -> bool:
    """Return whether "#" begins values, such as colours or tags, in ordinary lines."""
    separator, quote = dialect.separator, dialect.quote
    lines = [line for line in _sample(text).split("\n") if line.strip()]
    pattern = _comment_pattern("#")
    plain = [i for i, line in enumerate(lines) if not pattern.match(line)]
    marked = [line for line in lines[plain[0] :] if pattern.match(line)] if plain else []
    rows = list(read_records("\n".join(lines[i] for i in plain), separator, quote))
    # A number there is a row that was commented out.
    return bool(marked) and all(
        len(record.fields) == _width(rows) and not NUMBER.fullmatch(record.fields[0][1:].strip())
        for record in read_records("\n".join(marked), separator, quote)
    )


def _comment_pattern(mark: str) -> re.Pattern[str]:
    return re.compile(rf"(?m)^{re.escape(mark)}{_ERRORS if mark == '#' else ''}.*$")


def _restore_header(text: str, table: TextImport) -> str | None:
    """Return the text with a header restored from the last comment above the rows."""
    records = table.records
    if not records or all(not NUMBER.fullmatch(field) for field in records[0].fields):
        return None
    lines = text.split("\n", records[0].first_line)
    above = [i for i, line in enumerate(lines[: records[0].first_line - 1]) if line.strip()]
    if not above or not lines[above[-1]].startswith(table.comment):
        return None
    header = lines[above[-1]].removeprefix(table.comment).strip()
    record = next(read_records(header, table.separator, table.quote), None)
    if record is None or len(record.fields) != len(records[0].fields) or len(record.fields) < 2:
        return None
    bare = table.text.split("\n", records[0].first_line)
    bare[above[-1]] = header
    return "\n".join(bare)


class Candidate(NamedTuple):
    """A way to divide the text into fields, and its score."""

    text: str
    separator: str
    quote: str
    records: list[Record]
    is_rewritten: bool
    score: float


def _candidate(
    text: str, sample: str, separator: str, quote: str, *, is_rewritten: bool = False
) -> Candidate:
    records = _first_records(sample, separator, quote)
    return Candidate(text, separator, quote, records, is_rewritten, score(records, separator))


def _best_candidate(bare: str, separator: str | None, options: ReadOptions) -> Candidate:
    """Return the candidate with the best score; in case of ties the first."""
    sample = _sample(bare)
    candidates = list(_plain_candidates(bare, sample, separator, options))
    tabs = [c for c in candidates if c.separator == "\t"]
    if separator is None and any(_are_inside_fields(a, b) for a in tabs for b in candidates):
        candidates = [c for c in candidates if c.separator != "\t"]
    blanks = [c for c in candidates if c.separator == SPACES]
    if separator is None and any(_has_blanks_in_fields(b, a) for a in blanks for b in candidates):
        candidates = [c for c in candidates if c.separator != SPACES]
    likely = max(candidates, key=attrgetter("score"))
    # If all fields of all rows are clean, no other meaning of a mark is better.
    is_perfect = likely.score >= _PRIORS.get(likely.separator, 1.0)
    for candidate in candidates[:] if not is_perfect else ():
        if candidate.quote and candidate.quote in sample and 2 * candidate.score >= likely.score:
            candidates += _quote_candidates(candidate, bare, sample, options)
    best = max(candidates, key=attrgetter("score"))
    if separator is None:
        best = max([best, *_fixed_width_candidates(bare, best)], key=attrgetter("score"))
    if separator is None and best.score <= 0:
        best = next(_rare_candidates(bare, sample), best)
    return best


def _plain_candidates(
    bare: str, sample: str, separator: str | None, options: ReadOptions
) -> Iterator[Candidate]:
    """Yield a candidate for each separator and quotation mark that may be meant."""
    quotes = ['"'] if options.quote is None else [options.quote]
    if options.quote is None:
        # The apostrophe, too, if it surrounds many fields.
        around = len(re.findall(r"(?m)(?:^|[\t|;, ])'[^'\n]*'(?=[\t|;, ]|$)", sample))
        if 5 * around >= sample.count("\n") + 1:
            quotes.append("'")
    marks = SEPARATORS + SPACES + _RARE + ":" if separator is None else separator
    for mark in marks:
        for quote in quotes:
            if mark in sample or mark in SPACES + "," or separator is not None:
                yield _candidate(bare, sample, mark, quote)


def _are_inside_fields(tab: Candidate, rival: Candidate) -> bool:
    """Return whether tabs are inside fields of another separator in all lines."""
    # Then each line has fields between tabs that contain the other separator and are not numbers.
    mark = rival.separator
    n_filled = _width(tab.records) - n_blank_last(tab.records, _width(tab.records))
    if mark not in SEPARATORS[1:] or _width(rival.records) < n_filled:
        return False
    inside = re.compile(rf"{re.escape(mark)}(?!\s)")
    return _evenness(rival.records) == 1 and all(
        any(inside.search(field) and not NUMBER.fullmatch(field) for field in record.fields)
        for record in tab.records
    )


def _has_blanks_in_fields(rival: Candidate, blanks: Candidate) -> bool:
    """Return whether a separator divides more lines alike than blanks, as around phone numbers."""
    mark = rival.separator
    if mark not in SEPARATORS or rival.score <= 0:
        return False
    # After a comma, a blank belongs to a text: "Smith, John" between columns at fixed places.
    n_before_blanks = sum(rival.text.count(mark + blank) for blank in " \t\n")
    is_tight = 2 * n_before_blanks < rival.text.count(mark)
    return is_tight and _evenness(rival.records) > _evenness(blanks.records)


def _quote_candidates(
    candidate: Candidate, bare: str, sample: str, options: ReadOptions
) -> Iterator[Candidate]:
    """Yield the candidates whose quotation marks have another meaning."""
    mark, quote = candidate.separator, candidate.quote
    if _FEW_SLASHES * len(re.findall(rf"(?m)^.*\\{quote}", sample)) > sample.count("\n"):
        # A backslash before a quotation mark inside text is equivalent to a doubled mark.
        text = bare.replace(f"\\{quote}", 2 * quote)
        yield _candidate(text, _sample(text), mark, quote, is_rewritten=True)
    if options.quote is None:
        # Each line read by itself.
        lines = enumerate(sample.split("\n"), start=1)
        records = [Record(split(line, mark, quote), i, i) for i, line in lines if line.strip()]
        yield candidate._replace(records=records, score=score(records, mark))
        yield _candidate(bare, sample, mark, "")


def _fixed_width_candidates(bare: str, best: Candidate) -> Iterator[Candidate]:
    """Yield the candidates with fixed-width columns."""
    if best.separator == SPACES and _evenness(best.records) < 1:
        texts = [(split_fixed_width(bare), ""), (split_at_single_blanks(bare), '"')]
    elif _width(best.records) < 2 or best.score <= 0:
        texts = [(split_at_gaps(bare), ""), (split_at_single_blanks(bare), '"')]
    elif best.score < 1 and '"' in bare:
        texts = [(split_at_single_blanks(bare), '"')]
    else:
        return
    for text, quote in texts:
        if text:
            yield _candidate(text, _sample(text), PLACES, quote, is_rewritten=True)


def _rare_candidates(bare: str, sample: str) -> Iterator[Candidate]:
    """Yield the marks that divide header and all lines into two fields, if nothing else does."""
    for mark in _RARE:
        records = _first_records(sample, mark, '"') if mark in sample else []
        pairs = [record for record in records if len(record.fields) == record.n_filled == 2]
        if len(records) < _FEWEST_PAIRS or len(pairs) < len(records):
            continue
        columns = [[record.fields[i] for record in records] for i in range(2)]
        if all(kind_of(head) == "word" and head not in rows for head, *rows in columns):
            yield Candidate(bare, mark, '"', records, False, _PRIORS[":"])


def score(records: Sequence[Record], separator: str) -> float:
    """Score a way of dividing text into fields, from 0 to 1.

    The product of the consistency of the pattern (the share of rows with the most frequent number
    of fields), the consistency of types (the share of fields that are a value, or a text without
    traces of other separators and quotation marks), and a prior of the separator.
    """
    width = _width(records)
    turned = [record._replace(fields=record.fields[::-1]) for record in records]
    if width - n_blank_last(records, width) - n_blank_last(turned, width) < 2:
        return 0.0
    pattern = _evenness(records)
    if separator in _RARE and (width < 3 or pattern < 1):
        return 0.0
    fields = [field for record in records[:_JUDGED] for field in record.fields if field]
    numbers = [NUMBER.fullmatch(field) is not None for field in fields]
    unclean = _TRACES if separator in ("\t", PLACES) else _UNCLEAN
    clean = [
        number or not unclean.search(field) for field, number in zip(fields, numbers, strict=True)
    ]
    # Words between spaces are prose, unless many are numbers or all lines have the same number of
    # words.
    is_even = pattern == 1 and width > 2 and len(records) >= _SAMPLE_LINES
    few_numbers = len(records) < 3 or 3 * sum(numbers) < len(numbers)
    if separator in (SPACES, ":") and few_numbers and not is_even:
        return 0.0
    return _PRIORS.get(separator, 1.0) * pattern * sum(clean) / max(len(clean), 1)


def n_blank_last(records: Sequence[Record], width: int) -> int:
    """Count the last columns that are blank in all records of this width."""
    fitting = [record.fields for record in records if len(record.fields) == width]
    filled = (i + 1 for row in fitting for i, field in enumerate(row) if field)
    return width - max(filled, default=0)


def _evenness(records: Sequence[Record]) -> float:
    """Return the share of records with the most frequent number of fields."""
    width = _width(records)
    return sum(len(record.fields) == width for record in records) / max(len(records), 1)


def _width(records: Sequence[Record]) -> int:
    widths = Counter(len(record.fields) for record in records)
    return max(widths, key=lambda width: (widths[width], width), default=0)


def _unquote_lines(text: str) -> str | None:
    r"""Return the text without quotes around whole lines; None if few lines have them."""
    lines = [line for line in text.split("\n", _WHOLE_LINES)[:_WHOLE_LINES] if line.strip()]
    whole = [line for line in lines if _WHOLE.fullmatch(line)]
    if len(whole) < max(_FEWEST_WHOLE, _MOSTLY_WHOLE * len(lines)):
        return None
    return _WHOLE.sub(lambda match: match[1].replace('""', '"'), text)
