"""Content and default role of each column of a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from lincore.data.frames import (
    count_distinct,
    first_texts,
    is_number,
    is_short_text,
    present_numbers,
)
from lincore.io.tables.text.fields import CLOCK, DATE, OFFSET, UNIX_DATE, WEEKDAY

_DATES_JUDGED = 200
# Names of the time zone and the weekday: the former is not always known, the latter is redundant.
_ZONE_NAME = re.compile(
    rf"(?:(?<=\d)|(?<=[AaPp][Mm]))\s?(?!AM|PM)[A-Z]{{2,5}}(?:{OFFSET})?$", re.IGNORECASE
)
_FRONT = re.compile(rf"^{WEEKDAY}", re.IGNORECASE)
_DATE_OF_DIGITS = re.compile(r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
# Pairs of spellings of yes and no, regardless of case.
YES_NO = (("yes", "no"), ("y", "n"), ("true", "false"), ("t", "f"), ("ja", "nein"), ("oui", "non"))

Kind: TypeAlias = Literal["number", "category", "text", "date", "identifier", "constant", "empty"]
Role: TypeAlias = Literal["target", "feature", "text", "group", "weight", "frequency", "ignore"]
COLUMN_ROLES: tuple[Role, ...] = get_args(Role)
#: Roles of which there can be one column each.
UNIQUE_ROLES: tuple[Role, ...] = ("target", "group", "weight", "frequency")

# In the most frequent languages; compounds such as Kundennummer are recognised by their end.
# fmt: off
_IDENTIFIER_WORDS = frozenset((
    "id", "ids", "uuid", "guid", "key", "index", "idx", "rowname", "nr", "no", "num", "number",
    "code", "nº", "numero", "número", "numéro", "numer", "codigo", "código", "codice",
    "kod", "matricule", "identifiant", "identificador", "uid", "pid", "cislo", "číslo",
))
# Words that come first in a name and do not indicate a number of things.
_LEADING_WORDS = frozenset(("id", "nº", "numéro", "codigo", "código", "codice", "matricule"))
# fmt: on
_IDENTIFIER_ENDING = re.compile(
    r"(nummer|number|numero|(?<!i)num|.nr|kennung|schl(ü|ue)ssel|code|kod)$"
)
_BLANKS = re.compile(r"\s+")
_FREE_TEXT_NAME = re.compile(r"comment|remark|\bnotes?\b|description", re.IGNORECASE)
_COUNTER_NAME = re.compile(r"number|index|row|\b(id|no|nr)\b|unnamed|^column \d", re.IGNORECASE)
_UNNAMED_FIRST = ("column 1", "Unnamed: 0")
_FEW_ROWS, _ENOUGH_ROWS = 20, 50
# Pairs of equal numbers expected by chance; identifiers have at most a tenth of them.
_FEWEST_PAIRS = 10
# With a larger share of multiples of ten, numbers are rounded: one in ten is expected by chance.
_ROUNDED = 0.3
_SCATTER = 10
_FEW_LEVELS = 50
_MOST_LEVELS = 300
_JUDGED = 500
_EXAMPLES = 3


def is_date(column: pd.Series[Any], distinct: Any = None) -> bool:
    """Return whether a column contains dates or times of day, as text or by type."""
    # `distinct` are its distinct values, if known; of numbers they are not needed.
    if pd.api.types.is_datetime64_any_dtype(column) or isinstance(column.dtype, pd.PeriodDtype):
        return True
    whole = pd.api.types.is_integer_dtype(column)
    if whole and not re.search(r"date|day|datum", str(column.name), re.IGNORECASE):
        return False
    if pd.api.types.is_numeric_dtype(column) and not whole:
        return False
    if distinct is None or whole:
        distinct = column.dropna().unique()
    forms = (_DATE_OF_DIGITS,) if whole else (DATE, CLOCK, UNIX_DATE)
    some = [str(value) for value in distinct[:_DATES_JUDGED]]
    return len(some) > 0 and all(any(form.fullmatch(text) for form in forms) for text in some)


def to_days(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return dates as days since 1970-01-01, times of day as days; NaN for other values."""
    # If the day precedes the month anywhere in the column, it does so everywhere.
    if not pd.api.types.is_datetime64_any_dtype(column):
        text = column.astype("str")
        clocks = text.dropna().str.fullmatch(CLOCK).all()
        if clocks:
            text = text.str.replace(".", ":", regex=False)
            spelled = text.where(text.str.count(":") == 2, text + ":00")
            return pd.to_timedelta(spelled, errors="coerce").dt.total_seconds() / 86_400
        text = text.map(lambda value: UNIX_DATE.sub(r"\1 \3 \2", value), na_action="ignore")
        # Without weekday and time zone, the year next to the day.
        text = text.str.replace(_ZONE_NAME, "", regex=True).str.replace(_FRONT, "", regex=True)
        first = text.str.extract(r"^(\d{1,2})[-/.](\d{1,2})[-/.]")
        later = pd.to_numeric(first[1], errors="coerce").max()
        day_first = bool(first[0].notna().any()) and not later > 12
        column = pd.to_datetime(text, errors="coerce", dayfirst=day_first, format="mixed", utc=True)
    if column.dt.tz is not None:
        column = column.dt.tz_convert(None)
    return (column - pd.Timestamp(0)).dt.total_seconds() / 86_400


class Content(NamedTuple):
    """Content of a column, independent of its role: fields of `Column`."""

    kind: Kind
    n_missing: int
    n_distinct: int
    examples: tuple[str, ...]


class Column(NamedTuple):
    """Content and role of a column.

    Attributes
    ----------
    name : str
    kind : {"number", "category", "text", "date", "identifier", "constant", "empty"}
    role : {"target", "feature", "text", "group", "weight", "frequency", "ignore"}
        Proposed role; for "text" words are counted, "weight" and "frequency" weight the rows.
    n_missing, n_distinct : int
        Rows without a value, and distinct values.
    examples : tuple of str
        The first distinct values.
    reason : str
        Why it is ignored; "" if it is not.
    """

    name: str
    kind: Kind
    role: Role
    n_missing: int
    n_distinct: int
    examples: tuple[str, ...]
    reason: str = ""


EXCLUSION_REASONS: Mapping[Kind, str] = {
    "empty": "no values",
    "constant": "a constant value",
    "identifier": "too many distinct values for categories, or row numbers (identifier)",
    "date": "a date or a time",
    "text": "free text",
}


def content_of(column: pd.Series[Any]) -> Content:
    """Describe a column: content, missing values, examples."""
    # Lists and NumPy, because pandas takes half a millisecond for each of thousands of columns.
    present: Any
    distinct: Any
    if isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf":
        present = present_numbers(column)
        n_distinct = count_distinct(present)
        # The first few distinct values in order: usually the first few values.
        distinct = list(dict.fromkeys(present[: 4 * _EXAMPLES].tolist()))
        if len(distinct) < min(_EXAMPLES, n_distinct):
            distinct = column.dropna().unique().tolist()
    else:
        present = first_texts(column) if is_short_text(column) else column.dropna()
        distinct = list(dict.fromkeys(present)) if isinstance(present, list) else present.unique()
        n_distinct = len(distinct)
    kind: Kind
    if n_distinct < 2:
        kind = "constant" if n_distinct else "empty"
    elif is_date(column, distinct):
        kind = "date"
    elif pd.api.types.is_bool_dtype(column):
        kind = "category"
    elif is_number(column):
        names_rows = _are_row_names(column, present_numbers(column), n_distinct)
        kind = "identifier" if names_rows else "number"
    else:
        some = present if isinstance(present, list) else present.iloc[:_JUDGED].tolist()
        texts = [str(value) for value in some[:_JUDGED]]
        kind = _kind_of_text(str(column.name), texts, len(present), distinct)
    examples = tuple(_example(value) for value in distinct[:_EXAMPLES])
    return Content(kind, len(column) - len(present), n_distinct, examples)


def _example(value: object) -> str:
    text = f"{value:g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def _are_row_names(column: pd.Series[Any], values: NDArray[Any], n_distinct: int) -> bool:
    """Return whether numbers are row names: row numbers, named as such, or almost unique."""
    # Values of a quantity repeat by chance: if n rows are spread evenly over m numbers, about n² /
    # 2m pairs are equal, and more if the spread is uneven. Assigned numbers do not repeat.
    name = str(column.name)
    if len(values) < (0.9 if is_identifier_name(name) else 1.0) * len(column):
        return False
    # Checking some of them first avoids checking millions.
    for some in (values[:_JUDGED], values):
        if not (np.isfinite(some) & (np.floor(some) == some)).all():
            return False
    n, low, high = len(values), float(values.min()), float(values.max())
    repeats = n - n_distinct
    if not repeats and (high - low == n - 1 or is_identifier_name(name)):
        return True
    if n < _FEW_ROWS:
        return False
    # Differences of the largest numbers are infinite, which is not a step of one.
    with np.errstate(over="ignore"):
        counts = (np.diff(values.astype(np.float64)) == 1).mean() > 0.9
    if counts and _COUNTER_NAME.search(name):
        return True
    if is_identifier_name(name) and 2 * n_distinct >= n:
        return True
    if n < _ENOUGH_ROWS or repeats > n / 20:
        return False
    expected = n * (n - 1) / 2 / (high - low + 1)
    if expected >= _FEWEST_PAIRS and _FEWEST_PAIRS * repeats <= expected:
        return True
    # The first of several unnamed columns is often a row number.
    if not repeats and name in _UNNAMED_FIRST and high - low > _SCATTER * n:
        return True
    # Numbers of equal length with six digits or more, not rounded: of people, cases, parcels.
    one_length = low >= 1e5 and len(f"{low:.0f}") == len(f"{high:.0f}")
    return bool(one_length and (values % 10 == 0).mean() < _ROUNDED)


def is_identifier_name(name: str) -> bool:
    """Return whether a name is like an identifier's, by its first or last word."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name).casefold()
    spaced = re.sub("n°|№", "nº", spaced)
    words = [word for word in re.split(r"[\W_]+", spaced) if word]
    if not words:
        return name.strip() == "#"
    last = words[-1]
    return (
        last in _IDENTIFIER_WORDS
        or bool(_IDENTIFIER_ENDING.search(last))
        or words[0] in _LEADING_WORDS
    )


def _kind_of_text(name: str, some: Sequence[str], n_present: int, distinct: Any) -> Kind:
    """Return the kind of texts, from examples, their number, and the distinct ones."""
    n_distinct = len(distinct)
    n_words = len(_BLANKS.findall("|".join(some))) / len(some) + 1
    length = sum(map(len, some)) / len(some)
    if (n_distinct == 2 and n_present > 2) or are_yes_or_no(distinct):
        return "category"
    if 2 * n_distinct > n_present:
        return "text" if n_words >= 3 or length > 40 else "identifier"
    wordy = n_words >= 5 and length >= 25
    if _FREE_TEXT_NAME.search(name) and n_words >= 3:
        return "text"
    if n_distinct <= _FEW_LEVELS:
        return "category"
    if wordy:
        return "text"
    return "category" if n_distinct <= min(_MOST_LEVELS, n_present / 5) else "identifier"


def are_yes_or_no(values: Iterable[object]) -> bool:
    """Return whether all values mean yes or no, in any spelling."""
    # Single letters count if their counterpart occurs: Y and N together with yes and no, but not T
    # alone.
    folded = {str(value).casefold() for value in islice(values, 20)}
    pairs = [pair for pair in YES_NO if folded.issuperset(pair)]
    if not pairs:
        return False
    known = {word for pair in pairs for word in pair}
    known |= {word for pair in YES_NO for word in pair if len(word) > 1}
    return folded <= known


def means_yes(text: str) -> bool:
    """Return whether a text means yes or no."""
    return any(text.casefold() == yes for yes, _ in YES_NO)
