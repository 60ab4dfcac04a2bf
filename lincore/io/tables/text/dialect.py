"""Detection of comments, separator and quotes of a text table."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lincore.io.tables.lines.kinds import NUMBER, kind_of
from lincore.io.tables.lines.splitting import split
from lincore.io.tables.text._fixed_width import part_by_gaps, rule_columns
from lincore.io.tables.text.options import PLACES, SPACES, ReadOptions

# The rarer in text, the earlier: the order decides where two agree equally well.
SEPARATORS = "\t|;,"

_SAMPLE_CHARS = 65_536
_SAMPLE_LINES = 30
_LARGEST_SAMPLE = 4_000_000
_SAMPLE_FIELDS = 200_000
_JUDGED = 200
_COMMENT_MARKS = ("#", "%", "//")
# "Smith, John" is a name and no two fields.
_UNCLEAN = re.compile(r"[\t|;~^]|,(?!\s)|\d\s+[\d.,+-]")
# They stand in numbers and formulas too: one a line, beside nothing else, parts no columns.
_RARE = "~^"
# What a spreadsheet writes where a value cannot be computed is no comment.
_ERRORS = r"(?!N/A|REF!|DIV/0!|VALUE!|NAME\?|NUM!|NULL!)"
_ASKED = re.compile(r'"?sep=(.)"?\n', re.IGNORECASE)


class Record(NamedTuple):
    """The fields of one row as text, and the lines, counted from 1, that it takes up."""

    fields: list[str]
    first_line: int
    last_line: int

    @property
    def n_filled(self) -> int:
        """Number of fields that are not blank."""
        return sum(bool(field) for field in self.fields)


class Layout(NamedTuple):
    """Division of the text into fields.

    Attributes
    ----------
    text : str
        Comment lines emptied; the numbers of the lines are those of the file.
    separator, quote, comment : str
        `quote` and `comment` are "" where there are none.
    records : list of Record
        Of the beginning of the table, blank lines left out.
    width : int
        Fields of most records.
    rewritten : bool
        Whether more than comments was changed, so that other lines of the file must not be read
        in this way.
    """

    text: str
    separator: str
    quote: str
    comment: str
    records: list[Record]
    width: int
    rewritten: bool = False


def find_layout(text: str, options: ReadOptions) -> Layout:
    r"""Find how text falls into fields, as far as the options leave that open.

    Examples
    --------
    >>> found = find_layout("# made\na;b\n1,5;x\n", ReadOptions())
    >>> found.separator, found.comment, found.records[0].fields
    (';', '#', ['a', 'b'])
    """
    asked = _ASKED.match(text)
    separator = options.separator or (asked[1] if asked else None)
    if asked:
        text = text[asked.end() - 1 :]
    comment = _comment_mark(text) if options.comment is None else options.comment
    bare = _without_comments(text, comment)
    sample = _sample(bare)
    quote = _quote(sample) if options.quote is None else options.quote
    separator = separator or _separator(sample, quote)
    if comment == "#" and options.comment is None and _are_values(text, separator, quote):
        bare = _without_comments(text, comment, above=True)
        sample = _sample(bare)
    records = _first_records(sample, separator, quote)
    rewritten = False
    if separator == SPACES and options.separator is None and _share_alike(records) < 1:
        ruled = rule_columns(bare)
        if ruled is not None:
            bare, separator, quote = ruled, PLACES, ""
            sample, rewritten = _sample(bare), True
            records = _first_records(sample, separator, quote)
    if options.separator is None and _width(records) < 2:
        gapped = part_by_gaps(bare)
        if gapped is not None:
            bare, separator, quote = gapped, PLACES, ""
            sample, rewritten = _sample(bare), True
            records = _first_records(sample, separator, quote)
    if quote and f"\\{quote}" in sample:
        # A backslash before a quotation mark that is part of the text: doubled is as good.
        doubled = bare.replace(f"\\{quote}", 2 * quote)
        found = _first_records(_sample(doubled), separator, quote)
        if _share_alike(found) > _share_alike(records):
            bare, sample, records = doubled, _sample(doubled), found
            rewritten = True
    if options.quote is None and quote in sample:
        plain = _first_records(sample, separator, "")
        # Quotation marks that come without a partner join lines that are whole by themselves.
        alike, quoted = _share_alike(plain), _share_alike(records)
        better = alike >= max(0.9, quoted) and (alike > quoted or not _are_paired(plain, quote))
        if len(plain) > len(records) and _width(plain) > 1 and better:
            # Where most marks come in pairs, a few that do not are damage to single lines.
            alone = _line_records(sample, separator, quote)
            by_line = _share_alike(alone)
            single = by_line > alike or (by_line == alike and _mostly_closed(plain, quote))
            quote, records = (quote, alone) if single else ("", plain)
    if comment and options.comment is None:
        named = _name_the_columns(text, bare, comment, separator, quote, records)
        if named is not None:
            bare, records = named, _first_records(_sample(named), separator, quote)
    return Layout(bare, separator, quote, comment, records, _width(records), rewritten)


def read_records(text: str, separator: str, quote: str) -> Iterator[Record]:
    """Yield the records of a text that are not blank, until one cannot be read."""
    if separator == SPACES:
        # As pandas does: of all blanks those of ASCII alone part fields.
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


def parted_otherwise(line: str, layout: Layout) -> list[str] | None:
    """Return the fields of a line of one field where another separator gives all columns."""
    for other in SEPARATORS + _RARE + SPACES if layout.width > 2 else "":
        fields = split(line, other, layout.quote) if other != layout.separator else []
        # Blanks part the words of a sentence too, of which few are numbers.
        n_words = sum(kind_of(field) == "word" for field in fields)
        is_row = other != SPACES or 2 * n_words <= len(fields)
        if len(fields) == layout.width and sum(map(bool, fields)) > 2 and is_row:
            return fields
    return None


def _first_records(text: str, separator: str, quote: str) -> list[Record]:
    """Return the records of a sample, but of thousands of fields no more than can be judged."""
    found, n_fields = [], 0
    for record in read_records(text, separator, quote):
        found.append(record)
        n_fields += len(record.fields)
        if n_fields > _SAMPLE_FIELDS:
            break
    return found


def _sample(text: str) -> str:
    """Return whole lines from the beginning: enough characters and enough lines."""
    end = 0
    for _ in range(_SAMPLE_LINES):
        found = text.find("\n", end)
        if found < 0:
            return text[:_LARGEST_SAMPLE]
        end = found + 1
    if end < _SAMPLE_CHARS:
        end = max(text.rfind("\n", 0, _SAMPLE_CHARS) + 1, end)
    return text[: min(end, _LARGEST_SAMPLE)]


def _comment_mark(text: str) -> str:
    """Return the mark that some early lines begin with, but not most of them."""
    lines = [line for line in _sample(text).split("\n") if line.strip()]
    for mark in _COMMENT_MARKS:
        pattern = _comment_pattern(mark)
        marked = [pattern.match(line) is not None for line in lines]
        # All but "#" are told only where the file begins with them.
        if (marked[0] or (mark == "#" and any(marked))) and 2 * sum(marked) <= len(marked):
            return mark
    # A long heading over a short table.
    if lines[0].startswith("#") and any(not line.startswith("#") for line in lines):
        first = next(i for i, line in enumerate(lines) if not line.startswith("#"))
        return "#" if not any(line.startswith("#") for line in lines[first:]) else ""
    return ""


def _without_comments(text: str, comment: str, *, above: bool = False) -> str:
    """Empty the comment lines, or those above the table alone."""
    if not comment or comment not in text:
        return text
    pattern = _comment_pattern(comment)
    if not above:
        return pattern.sub("", text)
    end = 0
    while text[end : end + 1] == "\n" or pattern.match(text, end):
        end = text.find("\n", end) + 1 or len(text)
    return pattern.sub("", text[:end]) + text[end:]


def _are_values(text: str, separator: str, quote: str) -> bool:
    """Tell whether "#" begins values, such as colours or tags, in lines like all others."""
    lines = [line for line in _sample(text).split("\n") if line.strip()]
    pattern = _comment_pattern("#")
    plain = [i for i, line in enumerate(lines) if not pattern.match(line)]
    marked = [line for line in lines[plain[0] :] if pattern.match(line)] if plain else []
    rows = list(read_records("\n".join(lines[i] for i in plain), separator, quote))
    # A number there is a row that somebody has taken out.
    return bool(marked) and all(
        len(record.fields) == _width(rows) and not NUMBER.fullmatch(record.fields[0][1:].strip())
        for record in read_records("\n".join(marked), separator, quote)
    )


def _comment_pattern(mark: str) -> re.Pattern[str]:
    return re.compile(rf"(?m)^{re.escape(mark)}{_ERRORS if mark == '#' else ''}.*$")


def _name_the_columns(
    text: str, bare: str, comment: str, separator: str, quote: str, records: Sequence[Record]
) -> str | None:
    """Return the text with its header back, where the last comment above the rows names them."""
    if not records or all(not NUMBER.fullmatch(field) for field in records[0].fields):
        return None
    lines = text.split("\n", records[0].first_line)
    above = [i for i, line in enumerate(lines[: records[0].first_line - 1]) if line.strip()]
    if not above or not lines[above[-1]].startswith(comment):
        return None
    header = lines[above[-1]].removeprefix(comment).strip()
    found = next(read_records(header, separator, quote), None)
    if found is None or len(found.fields) != len(records[0].fields) or len(found.fields) < 2:
        return None
    kept = bare.split("\n", records[0].first_line)
    kept[above[-1]] = header
    return "\n".join(kept)


def _quote(sample: str) -> str:
    """Return the apostrophe where it, and not the quotation mark, stands around many fields."""
    around = {
        mark: len(re.findall(rf"(?m)(?:^|[\t|;, ]){mark}[^{mark}\n]*{mark}(?=[\t|;, ]|$)", sample))
        for mark in "\"'"
    }
    n_lines = sample.count("\n") + 1
    return "'" if around["'"] > around['"'] and 2 * around["'"] >= n_lines else '"'


def _are_paired(plain: Sequence[Record], quote: str) -> bool:
    """Tell whether each field that a mark opens is closed by a later one, line breaks or not."""
    turns = [
        field.startswith(quote)
        for record in plain
        for field in record.fields
        if field.startswith(quote) != field.endswith(quote)
    ]
    return len(turns) % 2 == 0 and turns == [True, False] * (len(turns) // 2)


def _mostly_closed(plain: Sequence[Record], quote: str) -> bool:
    """Tell whether most fields that a mark opens are closed by one in the same line."""
    opened = [field for record in plain for field in record.fields if field.startswith(quote)]
    return 2 * sum(len(f) > 1 and f.endswith(quote) for f in opened) > len(opened)


def _line_records(sample: str, separator: str, quote: str) -> list[Record]:
    """Return the records of lines that are each read by itself."""
    lines = enumerate(sample.split("\n"), start=1)
    found = ((split(line, separator, quote), i) for i, line in lines if line.strip())
    return [Record(fields, i, i) for fields, i in found]


def _separator(sample: str, quote: str) -> str:
    """Return the separator that gives most lines equally many fields, and clean ones.

    csv.Sniffer is not used: it takes "1,5;2,5" for comma-separated, and 16 kB of quotes cost it
    more than a second.
    """
    tabbed = _first_records(sample, "\t", quote)
    if _share_alike(tabbed) == 1 and 2 * sum(record.n_filled > 1 for record in tabbed) > len(
        tabbed
    ):
        # Nothing else has a tab in each line, equally often.
        return "\t"
    order = SEPARATORS + SPACES + _RARE
    scores = {mark: _agreement(sample, mark, quote) for mark in order}
    best = max(scores, key=lambda mark: (round(scores[mark], 6), -order.find(mark)))
    # A colon stands in times of day: it is thought of where nothing else will do.
    return ":" if scores[best] <= 0 and _agreement(sample, ":", quote) > 1.4 else best


def _agreement(sample: str, separator: str, quote: str) -> float:
    records = _first_records(sample, separator, quote)
    width = _width(records)
    if width < 2:
        return -1.0 if separator == SPACES else 0.0
    agreement = _share_alike(records)
    if separator in _RARE and (width < 3 or agreement < 1):
        return 0.0
    fields = [field for record in records[:_JUDGED] for field in record.fields if field]
    numbers = [NUMBER.fullmatch(field) is not None for field in fields]
    clean = [
        number or not _UNCLEAN.search(field) for field, number in zip(fields, numbers, strict=True)
    ]
    # Words between spaces are prose, unless there are many numbers among them or all lines have as
    # many, which no prose has.
    is_even = separator == SPACES and agreement == 1 and width > 2 and len(records) >= _SAMPLE_LINES
    few_numbers = len(records) < 3 or 3 * sum(numbers) < len(numbers)
    if separator in (SPACES, ":") and few_numbers and not is_even:
        return -1.0
    return agreement + 0.5 * sum(clean) / max(len(clean), 1)


def _share_alike(records: Sequence[Record]) -> float:
    """Return the share of records that have as many fields as most."""
    width = _width(records)
    return sum(len(record.fields) == width for record in records) / max(len(records), 1)


def _width(records: Sequence[Record]) -> int:
    widths = Counter(len(record.fields) for record in records)
    return max(widths, key=lambda width: (widths[width], width), default=0)
