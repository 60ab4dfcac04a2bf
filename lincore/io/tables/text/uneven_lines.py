"""Phase of reading: uneven lines are repaired if that is certain, otherwise skipped or kept."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from lincore.errors import DataError, Notice
from lincore.io.tables.text.alignment import Profile, fill_up, profile_of, remove_surplus
from lincore.io.tables.text.fields import SPACES, first_record, is_plain, readings, split, written
from lincore.io.tables.text.options import TextImport, UnevenLine

# Maximum number of uneven lines to examine; further ones are only counted.
_MOST_ALIGNED = 5_000
_FEW_ODD = 20_000
_MOST_LISTED = 1_000
_SHOWN, _SHOWN_CHARS = 5, 80
_KEPT_CHARS = 500
_LINE, _BLANKS = re.compile(r"[^\n]+"), re.compile(r"[ \t]+")
_MOST_JOINED, _JOINED_CHARS = 200, 100_000
# A field after the last column in fewer lines is damage, not a remark.
_FEWEST_WIDER, _LEAST_SHARE_WIDER = 2, 0.05
# Rows of another width than most that are not accidental.
_COMMON = 0.1

# The finding for each outcome.
_FINDINGS = {
    "left out": Notice(
        "{lines} did not have {width} fields and {was} skipped: {texts}.",
        remedy="Keep such lines with the import option for uneven lines, or correct them.",
        code="LIN021",
    ),
    "cut": Notice(
        "{lines} with too many fields {was} cut to the number of columns: {texts}.",
        remedy="Skip such lines, or correct them in the file.",
        code="LIN022",
    ),
    "mended": Notice("{lines} did not fit and {was} repaired ({how}): {texts}.", code="LIN023"),
    "filled up": Notice(
        "Fewer fields than columns: missing fields were read as missing values.", code="LIN024"
    ),
}


class LineFitter:
    """Processes uneven lines and records the outcome of each."""

    # `rows` are known to be whole. `may_join`: two lines may be parts of one row. `may_widen`: a
    # field after the last column may become a column. `numbers_kept` is True while remaining lines
    # keep their line numbers.

    def __init__(
        self, table: TextImport, rows: Sequence[Sequence[str]], *, may_join: bool, may_widen: bool
    ) -> None:
        self.name, self.separator, self.quote = table.name, table.separator, table.quote
        self.width, self.begin = len(table.names), table.first_line
        self.uneven = table.options.uneven or "mend"
        self.rows, self.may_join, self.may_widen = rows, may_join, may_widen
        self.lines, self.counts = list[UnevenLine](), Counter[str]()
        self.damages = dict[str, str]()
        self.n_aligned = self.n_lines = self.n_wider = self.n_long = 0
        self.first_long = (0, 0)
        self.numbers_kept = True
        self._n_of_width = Counter(map(len, rows))
        widths = self._n_of_width.most_common(1)
        self._usual_width = min(widths[0][0], self.width) if widths else self.width

    def fit(self, text: str, first_line: int, *, needed: bool = True) -> str:
        """Return the rows of a text, each with the right number of fields."""
        # With more damage it is another kind of file, and examining all lines would take minutes.
        most = max(_FEW_ODD, text.count("\n") // 20)
        n_lines, n_odd, odd = self._scan(text, most)
        if n_odd > most:
            if not needed:
                return text
            raise DataError(
                f"{n_odd:,} of {n_lines:,} lines do not have {self.width} fields.",
                where=self.name,
                remedy="Check the separator, and that quotation marks are paired.",
            )
        self.text, self.first_line, self.n_lines = text, first_line, self.n_lines + n_lines
        self.pieces, self.copied, self.seen = list[str](), 0, 0
        for number, start in odd:
            self._fit_line(number, start)
            if 2 * self.n_long >= max(self.n_lines, 1):
                raise self._too_long()
        return "".join([*self.pieces, text[self.copied :]]) if self.pieces else text

    def _scan(self, text: str, most: int) -> tuple[int, int, list[tuple[int, int]]]:
        """Count the nonblank lines and those that do not clearly fit, and list the latter."""
        # At most so many: their numbers, counted from 0, and where they begin.
        separator, quote, width = self.separator, self.quote, self.width
        gap = " \t" if separator == SPACES else separator
        other_quote = "'" if quote == '"' else '"'
        # A mark in the middle of a field.
        stray = re.compile(
            rf"[^{re.escape(gap + quote)}]{re.escape(quote)}[^{re.escape(gap + quote)}]"
        )

        def is_clear(line: str) -> bool:
            """Return whether a line has this many fields, with paired marks around them if any."""
            if separator != SPACES and line[0] == other_quote == line[-1]:
                return False
            if quote and quote in line:
                if line.count(quote) % 2 or stray.search(line):
                    return False
                line = quote.join(line.split(quote)[::2])
            if separator == SPACES:
                return sum(map(bool, _BLANKS.split(line))) == width
            return line.count(separator) == width - 1

        odd, n_lines, n_odd, number, before = list[tuple[int, int]](), 0, 0, 0, 0
        for match in _LINE.finditer(text):
            n_lines += 1
            if not is_clear(match[0]):
                start = match.start()
                number, before = number + text.count("\n", before, start), start
                n_odd += 1
                odd += [(number, start)] if n_odd <= most else []
        return n_lines, n_odd, odd

    @property
    def is_wider(self) -> bool:
        """Whether enough lines have a field after the last column for it to be a column."""
        return self.n_wider >= max(_FEWEST_WIDER, _LEAST_SHARE_WIDER * self.n_lines, self.n_long)

    def _fit_line(self, number: int, start: int) -> None:
        """Decide the outcome of the line that begins at `start`."""
        if start < self.seen:
            # Part of a text of several lines.
            return
        end = self.text.find("\n", start)
        end = len(self.text) if end < 0 else end
        line, width = self.text[start:end], self.width
        separator, quote = self.separator, self.quote
        if not line.strip():
            return
        fields = plainly = split(line, separator, quote)
        escaped = "\\" in line or line[0] in "\"'"
        if len(fields) == width and not escaped and is_plain(line, fields, separator, quote):
            return
        if quote and line.count(quote) % 2 and self._is_joined(start):
            return
        if self.may_widen and len(fields) > width and self._profile.ends_early(fields):
            self.n_wider += 1
            return
        damage = ""
        if self.uneven != "skip" or len(fields) == width:
            repaired = self._repair(line, plainly)
            fields, damage = repaired if repaired is not None else (fields, "")
        if len(plainly) < width and not damage and self.may_join:
            joined = self._rejoin(start, plainly)
            if joined is not None:
                fields, end = joined
                damage, self.numbers_kept = "a line break inside a field", False
        unchanged = fields == plainly and len(fields) == width
        if unchanged and is_plain(line, fields, separator, quote):
            return
        if len(fields) == width:
            outcome = "mended" if damage else "filled up"
        elif len(fields) < width:
            outcome = "left out" if self.uneven == "skip" else "filled up"
        elif not any(fields[width:]):
            # Blank fields after the last column do not count.
            fields, outcome = fields[:width], ""
        else:
            self.n_long += 1
            self.first_long = (number, len(fields)) if self.n_long == 1 else self.first_long
            outcome = "cut" if self.uneven == "keep" else "left out"
        rewritten = None if outcome == "left out" else written(fields[:width], separator, quote)
        if rewritten is None:
            outcome, self.numbers_kept = "left out", False
        self._note(number, line, outcome, damage)
        row = "" if rewritten is None else f"{rewritten}\n"
        self.pieces += [self.text[self.copied : start], row]
        self.copied = self.seen = end + 1

    def _rejoin(self, start: int, fields: list[str]) -> tuple[list[str], int] | None:
        """Return the fields of a row that was split by a line break, and its end."""
        separator, quote, width = self.separator, self.quote, self.width
        skips = self.uneven == "skip" or self.n_aligned >= _MOST_ALIGNED
        if skips or separator == SPACES or not quote:
            return None
        self.n_aligned += 1
        joined, end = fields, self.text.find("\n", start)
        while 0 <= end < len(self.text) - 1 and len(joined) < width:
            begin, end = end + 1, self.text.find("\n", end + 1)
            end = len(self.text) if end < 0 else end
            line = self.text[begin:end]
            more = split(line, separator, quote)
            upper, lower = joined[-1], more[0]
            if len(joined) + len(more) - 1 > width or not (upper and lower):
                return None
            if self._is_row(joined) and self._is_row(more):
                return None
            if len(more) == width and not self._profile.is_parted(upper, lower, len(joined) - 1):
                return None
            shorter = min(len(joined), len(more))
            field = f"{upper}\n{lower}"
            if field.startswith(quote) and field.endswith(quote):
                field = field[1:-1].replace(2 * quote, quote)
            joined = [*joined[:-1], field, *more[1:]]
            if len(joined) == width:
                # It must be plausible, and a row filled with blanks not.
                is_gap = all(self._profile.is_usual("", i) for i in range(shorter, width))
                return (joined, end) if not is_gap and self._fits(joined) else None
        return None

    def _is_row(self, fields: Sequence[str]) -> bool:
        """Return whether fields are a complete row: as wide as others, with matching columns."""
        common = self._n_of_width[len(fields)] > _COMMON * len(self.rows)
        profile = self._profile
        return common and all(profile.is_usual(field, i) for i, field in enumerate(fields))

    @cached_property
    def _profile(self) -> Profile:
        return profile_of(self.rows, self.width)

    def _is_joined(self, start: int) -> bool:
        """Return whether a line begins a multi-line record, which is then skipped."""
        separator, quote, width = self.separator, self.quote, self.width
        lines = list[str]()
        record = first_record(self._lines_from(start, lines), separator, quote)
        # Below a header that is too long all rows are short.
        if record is None or len(lines) < 2 or len(record) not in (width, self._usual_width):
            return False
        # Complete lines were joined only by unpaired quotation marks.
        if all(len(split(line, separator, quote)) == width for line in lines):
            return False
        self.seen = start + sum(len(line) + 1 for line in lines)
        return True

    def _lines_from(self, start: int, lines: list[str]) -> Iterator[str]:
        """Yield some lines and remember the requested ones."""
        end = start - 1
        while len(lines) < _MOST_JOINED and end < min(len(self.text), start + _JOINED_CHARS):
            begin, end = end + 1, self.text.find("\n", end + 1)
            end = len(self.text) if end < 0 else end
            lines.append(self.text[begin:end])
            yield lines[-1] + "\n"

    def _repair(self, line: str, plainly: list[str]) -> tuple[list[str], str] | None:
        """Return the fields if another dialect, or removing one field, makes the line fit."""
        separator, quote, width = self.separator, self.quote, self.width
        if self.n_aligned >= _MOST_ALIGNED:
            return None
        self.n_aligned += 1
        for fields, damage in readings(line, plainly, separator, quote):
            if len(fields) == width and self._fits(fields):
                return fields, damage
        if len(plainly) < width:
            return fill_up(plainly, self._profile), ""
        joint = separator if f"{separator} " not in line else f"{separator} "
        less = remove_surplus(plainly, self._profile, joint if quote else "")
        return None if less is None else (less, "one separator too many")

    def _fits(self, fields: Sequence[str]) -> bool:
        """Return whether most fields are of a kind that occurs in their columns."""
        profile = self._profile
        filled = [(field, i) for i, field in enumerate(fields) if field]
        usual = sum(profile.is_usual(field, i) for field, i in filled)
        return len(filled) > 1 and 3 * usual >= 2 * len(filled)

    def _note(self, index: int, line: str, outcome: str, damage: str) -> None:
        if not outcome:
            return
        self.counts[outcome] += 1
        if outcome == "mended":
            self.damages.setdefault(damage, "")
        if len(self.lines) < _MOST_LISTED:
            number = index + self.first_line
            self.lines.append(UnevenLine(number, line[:_KEPT_CHARS], outcome))

    def notices(self) -> tuple[Notice, ...]:
        """Return the findings so far, one notice per outcome."""
        return tuple(self._notice(outcome) for outcome in _FINDINGS if self.counts[outcome])

    def _notice(self, outcome: str) -> Notice:
        count, finding = self.counts[outcome], _FINDINGS[outcome]
        some = [line for line in self.lines if line.outcome == outcome]
        some = some[: 10 if outcome == "filled up" else _SHOWN]
        numbers = ", ".join(str(line.number) for line in some)
        numbers += " and more" if count > len(some) else ""
        sentence = finding.what.format(
            lines="1 line" if count == 1 else f"{count:,} lines",
            was="was" if count == 1 else "were",
            width=self.width,
            how="; ".join(self.damages),
            texts=", ".join(repr(line.text[:_SHOWN_CHARS]) for line in some),
        )
        where = f"{self.name}, line{'s' if count > 1 else ''} {numbers}"
        return replace(finding, what=sentence, where=where)

    def _too_long(self) -> DataError:
        (number, n_fields), n_long = self.first_long, self.n_long
        more = f" At least {n_long:,} of {self.n_lines:,} lines have too many."
        columns = f"there are {self.width} columns.{more if n_long > 1 else ''}"
        return DataError(
            f"The line has {n_fields} fields; {columns}",
            where=f"{self.name}, line {number + self.begin}",
            remedy="Put text that contains the separator in paired quotation marks.",
        )
