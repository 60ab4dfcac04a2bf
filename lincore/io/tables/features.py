"""The feature columns of a table as one array: numbers, level codes, word counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.feature_extraction.text import CountVectorizer

from lincore.data.frames import is_number, is_short_text, listed_texts
from lincore.data.labels import level_name, natural_key
from lincore.errors import DataError, Hint, Notice
from lincore.io.tables.column_roles import Column, are_yes_or_no, means_yes, to_days
from lincore.limits import LIMITS
from lincore.utils.typing import Array


class Features(NamedTuple):
    """Parts of a data set: `X`, `feature_names`, `levels` and `n_words`."""

    X: Any
    names: tuple[str, ...]
    levels: tuple[tuple[str, ...] | None, ...] | None
    n_words: int
    notices: tuple[Notice, ...]


def build_features(
    frame: pd.DataFrame,
    features: Sequence[Column],
    texts: Sequence[str],
    name: str,
    categories: Sequence[str] = (),
    orders: Mapping[str, Sequence[str]] = {},
) -> Features:
    """Combine columns into one array."""
    arrays: list[Array] = []
    levels: list[tuple[str, ...] | None] = []
    notices: list[Notice] = []
    for column in features:
        values, level_names, added = _encode(
            frame[column.name], column, column.name in categories, orders.get(column.name, ())
        )
        arrays.append(values)
        levels.append(level_names)
        notices += added
    X: Any = np.column_stack(arrays) if arrays else np.empty((len(frame), 0))
    names = [column.name for column in features]
    n_words = 0
    for text in texts:
        counts, vocabulary = _count_words(frame[text].tolist(), f"{name}, column {text!r}")
        X = sp.hstack([sp.csr_array(X), counts], format="csr")
        names += vocabulary if len(texts) == 1 else [f"{text}: {word}" for word in vocabulary]
        n_words += len(vocabulary)
    levels += [None] * n_words
    has_levels = any(level_names is not None for level_names in levels)
    return Features(X, tuple(names), tuple(levels) if has_levels else None, n_words, tuple(notices))


def _encode(
    column: pd.Series[Any], described: Column, unchanged: bool, order: Sequence[str]
) -> tuple[Array, tuple[str, ...] | None, list[Notice]]:
    where = f"column {column.name!r}"
    if described.kind == "date":
        days = to_days(column).to_numpy(dtype=np.float64, na_value=np.nan)
        return days, None, [Notice("Dates became days since 1970.", where, code="LIN055")]
    if is_number(column) and described.kind != "category":
        return column.to_numpy(dtype=np.float64, na_value=np.nan), None, []
    codes, names, merged = level_codes(column, unchanged=unchanged, order=order)
    if len(names) > LIMITS.max_levels:
        raise DataError(
            f"It has {len(names):,} levels; at most {LIMITS.max_levels:,} are allowed, because "
            f"each needs a column.",
            where=where,
            remedy="Ignore it, or count its words.",
            remedies=(Hint(f"Ignore {described.name!r}", roles={described.name: "ignore"}),),
        )
    notices = []
    if merged:
        sentence = f"Spellings of the same: {', '.join(merged)}. They were merged."
        notices.append(Notice(sentence, where, code="LIN056"))
    return codes, names, notices


def level_codes(
    column: pd.Series[Any], *, unchanged: bool = False, order: Sequence[str] = ()
) -> tuple[Array, tuple[str, ...], tuple[str, ...]]:
    """Return level codes (n,) with NaN for missing, the names of the levels, merged spellings."""
    # Spellings of yes and of no are merged, unless the column is to be used unchanged.
    places, values = _factorize(column)
    texts = [level_name(value) for value in values]
    counts = np.bincount(places[places >= 0], minlength=len(texts))
    same = {} if unchanged else _merged_spellings(texts, counts.tolist())
    names = sorted({same.get(text, text) for text in texts}, key=natural_key)
    names = [names[i] for i in sorted(range(len(names)), key=order_key(order, names))]
    code_of = {name: float(code) for code, name in enumerate(names)}
    # The last one is for missing values, whose code is -1.
    codes = np.array([*(code_of[same.get(text, text)] for text in texts), np.nan])[places]
    return codes, tuple(names), tuple(sorted(same))


def order_key(order: Sequence[str], names: Sequence[Any]) -> Callable[[int], int]:
    """Return the key that sorts positions of names by a given order; other names come last."""
    rank = {name: i for i, name in enumerate(order)}
    return lambda i: rank.get(str(names[i]), len(rank))


def _factorize(column: pd.Series[Any]) -> tuple[NDArray[np.intp], Any]:
    """Return the code of each row's value, -1 for missing ones, and the values."""
    if not is_short_text(column):
        return pd.factorize(column)
    # pandas takes half a millisecond for each of thousands of columns.
    texts = listed_texts(column)
    place_of: dict[str | None, int] = {}
    places = [-1 if text is None else place_of.setdefault(text, len(place_of)) for text in texts]
    return np.array(places, dtype=np.intp), list(place_of)


def _merged_spellings(texts: Sequence[str], counts: Sequence[int]) -> dict[str, str]:
    """Map each spelling of yes and no to the most frequent one, if there are several."""
    # `counts` are the frequencies of the texts in the column.
    if len(texts) <= 2 or not are_yes_or_no(texts):
        return {}
    frequency = Counter[str]()
    for text, count in zip(texts, counts, strict=True):
        frequency[text] += count
    commonest: dict[bool, str] = {}
    for text, _ in frequency.most_common():
        commonest.setdefault(means_yes(text), text)
    several = [yes for yes in commonest if sum(means_yes(text) == yes for text in frequency) > 1]
    return {text: commonest[means_yes(text)] for text in frequency if means_yes(text) in several}


def merge_labels(labels: pd.Series[Any], merged: Mapping[str, str]) -> pd.Series[Any]:
    """Return labels with some renamed.

    Parameters
    ----------
    labels : Series of n labels
    merged : mapping of str to str
        Maps names of classes to new names; several may get the same.

    Returns
    -------
    Series of n labels
        As text; missing labels stay missing.
    """
    texts = labels.map(level_name, na_action="ignore")
    return texts.map(lambda text: merged.get(text, text), na_action="ignore")


def _count_words(texts: Iterable[object], where: str) -> tuple[Any, tuple[str, ...]]:
    """Return the counts (n, q) of each word in each text, and the q words in alphabetical order."""
    # Like scikit-learn's CountVectorizer: a word is a run of two or more letters or digits, in
    # lower case. After dropping words that occur in no training text, the result equals that of a
    # CountVectorizer fitted to the training texts.
    vectorizer = CountVectorizer(dtype=np.float64)
    try:
        counts = vectorizer.fit_transform(text if isinstance(text, str) else "" for text in texts)
    except ValueError as error:
        raise DataError(
            "There are no words of two or more letters.", where=where, remedy="Ignore this column."
        ) from error
    if counts.shape[1] > LIMITS.max_words or counts.nnz > 100 * LIMITS.max_words:
        raise DataError(
            f"There are {counts.shape[1]:,} different words, {counts.nnz:,} in all rows together.",
            where=where,
            remedy="Load fewer rows, or shorter texts.",
        )
    return sp.csr_array(counts), tuple(vectorizer.get_feature_names_out().tolist())
