"""Columns of a new table in the form of a data set: matched by name, mismatches reported."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer

from lincore.data.dataset import Dataset
from lincore.data.frames import is_number, refuse_infinite
from lincore.data.labels import level_name
from lincore.data.row_weights import data_row
from lincore.errors import DataError, Notice
from lincore.io.tables.column_roles import are_yes_or_no, is_date, means_yes, to_days
from lincore.utils.formatting import count, listed
from lincore.utils.typing import Array

_MOST_NAMED = 5


class FeatureSchema(NamedTuple):
    """Names and types of the features of a model; see `Dataset`."""

    names: tuple[str, ...]
    levels: tuple[tuple[str, ...] | None, ...] | None = None
    n_words: int = 0
    # The text columns whose words are the last `n_words` features.
    text_columns: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: Dataset) -> FeatureSchema:
        """Return the features of a data set."""
        return cls(data.feature_names, data.levels, data.n_words, data.text_columns)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the required columns: features, then texts."""
        return (*self.names[: len(self.names) - self.n_words], *self.text_columns)


@dataclass
class RowMatch:
    """Agreement of the columns of a new table with those of a model."""

    n_rows: int
    # Features whose column is spelled differently in the new table (capitals, blanks).
    spelled: Mapping[str, str] = field(default_factory=dict)
    reordered: bool = False  # whether the features come in another order
    # Features without a column; all their values are treated as missing.
    missing: tuple[str, ...] = ()
    additional: tuple[str, ...] = ()  # columns that match no feature, and are not used
    # Unseen levels by column, with the number of rows of each.
    unseen: dict[str, dict[str, int]] = field(default_factory=dict)
    # Missing values by column, excluding missing columns.
    gaps: dict[str, int] = field(default_factory=dict)
    # Text columns of dates, which are converted to days since 1970.
    dates: list[str] = field(default_factory=list)

    @property
    def notices(self) -> tuple[Notice, ...]:
        """A sentence for each mismatch; empty if everything matches."""
        notices = []
        if self.missing:
            notices.append(
                _columns_notice("missing column", self.missing, "Treated as missing values.")
            )
        for column, levels in self.unseen.items():
            named = listed([repr(level) for level in levels], _MOST_NAMED)
            sentence = f"{count(len(levels), 'level')} not seen in training: {named}"
            rows = count(sum(levels.values()), "row")
            notices.append(Notice(f"{sentence}, in {rows}.", f"column {column!r}"))
        if self.gaps:
            cells = count(sum(self.gaps.values()), "missing value")
            parts = [f"{name} {number:,}" for name, number in self.gaps.items()]
            notices.append(
                Notice(f"{cells}, filled from the training rows: {listed(parts, _MOST_NAMED)}.")
            )
        if self.spelled:
            pairs = [f"{given.strip()} for {name}" for name, given in self.spelled.items()]
            names = count(len(pairs), "name")
            notices.append(Notice(f"{names} spelled differently: {listed(pairs, _MOST_NAMED)}."))
        if self.dates:
            notices.append(_columns_notice("column", self.dates, "Dates became days since 1970."))
        if self.additional:
            notices.append(_columns_notice("additional column", self.additional, "Not used."))
        return tuple(notices)


def match_rows(
    frame: pd.DataFrame, schema: FeatureSchema, *, fill_missing: bool = False
) -> tuple[Any, RowMatch]:
    """Convert the columns of a new table to the form of ``Dataset.X``."""
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    given = list(frame.columns)
    position_of = {name: find_column(name, given) for name in schema.columns}
    missing = tuple(name for name, position in position_of.items() if position is None)
    if missing and not fill_missing:
        raise _missing_error(missing, given)
    positions = [position for position in position_of.values() if position is not None]
    match = RowMatch(
        n_rows=len(frame),
        spelled={n: given[i] for n, i in position_of.items() if i is not None and given[i] != n},
        reordered=positions != sorted(positions),
        missing=missing,
        additional=tuple(name for i, name in enumerate(given) if i not in set(positions)),
    )
    n_table = len(schema.names) - schema.n_words
    levels: Sequence[Any] = schema.levels or [None] * len(schema.names)
    X: Any = np.full((len(frame), n_table), np.nan)
    for j, (name, known) in enumerate(zip(schema.names[:n_table], levels, strict=False)):
        position = position_of[name]
        if position is None:
            continue
        column = frame.iloc[:, position].rename(name)
        X[:, j] = (
            _number_values(column, match) if known is None else _level_codes(column, known, match)
        )
        if n_gaps := int(np.isnan(X[:, j]).sum()):
            match.gaps[name] = n_gaps
    refuse_infinite(X, schema.names, "new rows", data_row)
    if schema.n_words:
        X = sp.hstack([sp.csr_array(X), *_word_counts(frame, position_of, schema)], format="csr")
    return X, match


def _number_values(column: pd.Series[Any], match: RowMatch) -> Array:
    if pd.api.types.is_datetime64_any_dtype(column):
        column = to_days(column)
    elif not is_number(column):
        parsed = pd.to_numeric(column, errors="coerce")
        wrong = column[parsed.isna() & column.notna() & (column.astype(str).str.strip() != "")]
        if len(wrong) and is_date(column):
            match.dates.append(str(column.name))
            parsed = to_days(column)
        elif len(wrong):
            raise DataError(
                f"{str(wrong.iloc[0])[:60]!r} is not a number, but the model expects numbers.",
                where=f"column {column.name!r}",
                remedy="Correct it, or leave the cell empty.",
            )
        column = parsed
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _level_codes(column: pd.Series[Any], known: Sequence[str], match: RowMatch) -> Array:
    places, values = pd.factorize(column)
    code_of = spelled_codes(map(level_name, values), known)
    # The code after the last level means unknown, see `Preparer`.
    codes = np.array(
        [*(float(code_of.get(level_name(value), len(known))) for value in values), np.nan]
    )
    if (codes == len(known)).any():
        numbers = np.bincount(places[places >= 0], minlength=len(values))
        new = {
            level_name(value): int(number)
            for value, number, code in zip(values, numbers, codes, strict=False)
            if code == len(known)
        }
        match.unseen[str(column.name)] = dict(sorted(new.items(), key=lambda item: -item[1]))
    return np.asarray(codes[places])


def spelled_codes(texts: Iterable[str], known: Sequence[str]) -> dict[str, int]:
    """Return the codes of known levels, including other spellings of yes and no."""
    # As in the training table, where all spellings of yes and of no were merged. Files and
    # databases without truth values have 1 and 0.
    code_of = {name: code for code, name in enumerate(known)}
    if len(known) != 2 or not are_yes_or_no(known):
        return code_of
    code_of = {("1" if means_yes(name) else "0"): code_of[name] for name in known} | code_of
    return code_of | {
        text: code_of[name]
        for text in texts
        for name in known
        if text not in code_of
        and are_yes_or_no([text, *known])
        and means_yes(text) == means_yes(name)
    }


def _word_counts(
    frame: pd.DataFrame, position_of: Mapping[str, int | None], schema: FeatureSchema
) -> list[Any]:
    """Count the known words of each text column, in the order of the features."""
    words = schema.names[len(schema.names) - schema.n_words :]
    several, begin, blocks = len(schema.text_columns) > 1, 0, []
    for text in schema.text_columns:
        prefix = f"{text}: " if several else ""
        own = [word for word in words[begin:] if word.startswith(prefix)]
        begin += len(own)
        vocabulary = [word.removeprefix(prefix) for word in own]
        position = position_of[text]
        if position is None:
            blocks.append(sp.csr_array((len(frame), len(own))))
            continue
        values = frame.iloc[:, position].tolist()
        texts = (value if isinstance(value, str) else "" for value in values)
        vectorizer = CountVectorizer(dtype=np.float64, vocabulary=vocabulary)
        blocks.append(sp.csr_array(vectorizer.transform(texts)))
    return blocks


def find_column(name: str, given: Sequence[str]) -> int | None:
    """Return the position of a column, by its name or by a unique similar spelling."""
    if name in given:
        return given.index(name)
    alike = [i for i, candidate in enumerate(given) if _normalised(candidate) == _normalised(name)]
    return alike[0] if len(alike) == 1 else None


def _normalised(name: str) -> str:
    return " ".join(name.replace("_", " ").split()).casefold()


def _missing_error(missing: Sequence[str], given: Sequence[str]) -> DataError:
    close = {name: difflib.get_close_matches(name, given, n=1, cutoff=0.7) for name in missing}
    hints = [f"{similar[0]!r} for {name!r}" for name, similar in close.items() if similar]
    remedy = f"Is it {listed(hints, _MOST_NAMED)}? Rename." if hints else "Add them to the file."
    return DataError(
        f"{count(len(missing), 'column')} of the training data missing: "
        f"{listed([repr(name) for name in missing], _MOST_NAMED)}.",
        where="columns of the new rows",
        remedy=f"{remedy} Or treat all of their values as missing.",
    )


def _columns_notice(noun: str, names: Sequence[str], remark: str) -> Notice:
    named = listed([repr(name) for name in names], _MOST_NAMED)
    return Notice(f"{count(len(names), noun)}: {named}. {remark}")
