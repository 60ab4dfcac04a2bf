"""Preparation of tabular columns: imputation and encoding learned from training rows.

Missing values are imputed, categories are one-hot encoded, and words that occur in no training row
are dropped. All of this is one transformer, which a pipeline fits inside every fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from lincore.data.dataset import Dataset, Imputation
from lincore.utils.atomic import atomic
from lincore.utils.typing import Array

# Special levels in the list of columns, and their names.
POOLED, MISSING = -1, -2
_CALLED = {POOLED: "(rare)", MISSING: "(missing)"}
# The column position of a level without a column: it is zero in all columns.
_NOWHERE = -1


class Filling(NamedTuple):
    """Imputation of a numeric column: the value, and the column of the missing indicator."""

    value: float
    has_indicator: bool


class Coding(NamedTuple):
    """One-hot encoding of a category: the column of each level."""

    # (n_levels + 2,); column of each level, then of unknown levels, then of missing values; -1 for
    # none
    position: NDArray[np.intp]
    of_column: tuple[int, ...]  # the level of each column, or POOLED or MISSING
    dropped: int | None = None  # with two levels, the one without a column


class Preparer(TransformerMixin, BaseEstimator):
    """Impute, one-hot encode and select words, based on the training rows.

    Parameters
    ----------
    n_levels : sequence of p (int or None), optional
        Number of levels of a column of level codes, None for a numeric column; or None if all
        columns are numeric.
    n_words : int, default 0
        Number of word-count columns at the end; if not zero, rows are sparse.
    imputation : {"median", "most_frequent", "indicator"}
        Numbers: by the median or the most frequent training value; "indicator" uses the median and
        adds an indicator column for missing values. Categories: by the most frequent training
        level; "indicator" treats missing as a separate level.
    rare : int, default 0
        Levels with fewer training rows than this are merged into one column.

    Attributes
    ----------
    columns_ : list of (Filling or Coding)
        One for each column other than word counts.
    words_ : list of int
        Positions of the words that occur in a training row.
    n_features_in_ : int

    Notes
    -----
    A category with two levels has one column (an indicator of the second level); with more levels
    it has one for each level in the training rows. An unseen level is assigned to the merged column
    if there is one, and is otherwise zero in every column.

    Examples
    --------
    >>> X = np.array([[1.0, 0], [np.nan, 1], [3.0, 2], [5.0, 1]])
    >>> Preparer(n_levels=(None, 3)).fit_transform(X)
    array([[1., 1., 0., 0.],
           [3., 0., 1., 0.],
           [3., 0., 0., 1.],
           [5., 0., 1., 0.]])
    """

    def __init__(
        self,
        n_levels: Sequence[int | None] | None = None,
        *,
        n_words: int = 0,
        imputation: Imputation = "median",
        rare: int = 0,
    ) -> None:
        self.n_levels = n_levels
        self.n_words = n_words
        self.imputation = imputation
        self.rare = rare

    def __sklearn_tags__(self) -> Any:
        """Declare that rows may be sparse and have missing values."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.n_words > 0
        tags.input_tags.allow_nan = True
        return tags

    @atomic
    def fit(self, X: Any, y: object = None) -> Self:
        """Fit to training rows (n, p), in the form of ``Dataset.X``."""
        table, words = self._parts(X)
        n_levels = self.n_levels or [None] * table.shape[1]
        self.columns_: list[Filling | Coding] = [
            self._filling(column) if n is None else self._coding(column, n)
            for column, n in zip(table.T, n_levels, strict=False)
        ]
        in_use = words.sum(axis=0) if self.n_words else np.empty(0)
        self.words_: list[int] = np.flatnonzero(in_use).tolist()
        self.n_features_in_ = table.shape[1] + self.n_words
        return self

    def transform(self, X: Any) -> Any:
        """Return rows (n, q) without missing values: dense, or CSR if there are words."""
        check_is_fitted(self)
        n_columns = np.shape(X)[1]
        if n_columns != self.n_features_in_:
            raise ValueError(f"X has {n_columns} columns; {self.n_features_in_} were expected.")
        table, words = self._parts(X)
        columns: list[Array] = []
        for column, learned in zip(table.T, self.columns_, strict=True):
            if isinstance(learned, Filling):
                gaps = np.isnan(column)
                columns.append(np.where(gaps, learned.value, column))
                if learned.has_indicator:
                    columns.append(gaps.astype(np.float64))
            else:
                columns += _coded(column, learned)
        dense = np.column_stack(columns) if columns else np.empty((len(table), 0))
        if not self.n_words:
            return dense
        return sp.hstack([sp.csr_array(dense), words[:, self.words_]], format="csr")

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Return the names of the columns of `transform`, of shape (q,)."""
        check_is_fitted(self)
        numbers = (f"x{i}" for i in range(self.n_features_in_))
        given = numbers if input_features is None else input_features
        return np.array(_names(self, [str(name) for name in given], None), dtype=object)

    def categorical_columns(self) -> tuple[tuple[int, ...], ...]:
        """Return the columns of `transform` by category, including those for missing values."""
        check_is_fitted(self)
        groups: list[tuple[int, ...]] = []
        begin = 0
        for learned in self.columns_:
            if isinstance(learned, Coding):
                end = begin + len(learned.of_column)
                groups.append(tuple(range(begin, end)))
            else:
                end = begin + 1 + learned.has_indicator
                groups.append(tuple(range(begin + 1, end)))
            begin = end
        return tuple(group for group in groups if group)

    def _parts(self, X: Any) -> tuple[Array, Any]:
        """Return the columns other than word counts, dense, and the word counts, CSR."""
        if not self.n_words:
            return np.asarray(X, dtype=np.float64), None
        X = sp.csr_array(X)
        n_columns = X.shape[1] - self.n_words
        return X[:, :n_columns].toarray(), X[:, n_columns:]

    def _filling(self, column: Array) -> Filling:
        present = column[~np.isnan(column)]
        gaps = self.imputation == "indicator" and len(present) < len(column)
        if not len(present):
            # A constant has no effect in any classifier.
            return Filling(0.0, False)
        if self.imputation == "most_frequent":
            values, counts = np.unique(present, return_counts=True)
            return Filling(float(values[counts.argmax()]), gaps)
        return Filling(float(np.median(present)), gaps)

    def _coding(self, column: Array, n_levels: int) -> Coding:
        codes = column[~np.isnan(column)].astype(np.intp)
        counts = np.bincount(codes, minlength=n_levels)[:n_levels]
        present, pooled = counts > 0, (counts > 0) & (counts < self.rare)
        # Merging a single level would only rename it.
        pooled &= pooled.sum() > 1
        separate = np.flatnonzero(present & ~pooled)
        position = np.full(n_levels + 2, _NOWHERE, dtype=np.intp)
        position[separate] = np.arange(len(separate))
        of_column = separate.tolist()
        if pooled.any():
            # Unseen levels are rarer still.
            position[:n_levels][counts < max(self.rare, 1)] = len(of_column)
            position[n_levels] = len(of_column)
            of_column.append(POOLED)
        if len(codes) < len(column) and self.imputation == "indicator":
            position[-1] = len(of_column)
            of_column.append(MISSING)
        elif present.any():
            position[-1] = position[counts.argmax()]
        if len(of_column) == 2:
            return Coding(position - 1, tuple(of_column[1:]), of_column[0])
        return Coding(position, tuple(of_column))


def _coded(column: Array, coding: Coding) -> list[Array]:
    n_levels = len(coding.position) - 2
    gaps = np.isnan(column)
    codes = np.where(gaps, n_levels + 1, column).astype(np.intp)
    codes[~gaps & ((codes < 0) | (codes > n_levels))] = n_levels
    positions = coding.position[codes]
    return [(positions == i).astype(np.float64) for i in range(len(coding.of_column))]


def build_preparer(data: Dataset) -> Preparer | None:
    """Return the unfitted first step of a pipeline for a data set; None if not needed."""
    if not data.needs_preparation:
        return None
    n_levels = None
    if data.levels is not None:
        n_levels = tuple(None if names is None else len(names) for names in data.levels)
    return Preparer(n_levels, n_words=data.n_words, imputation=data.imputation, rare=data.rare)


class Contrast(NamedTuple):
    """Prepared columns without the reference level of each category."""

    names: tuple[str, ...]  # tuple of q str; such as "Port = C (against S)"
    columns: NDArray[np.intp]  # (q,); the columns that are kept
    # (q,); the column of the reference level of each of them, -1 for none
    reference: NDArray[np.intp]

    def relative(self, coef: Array) -> tuple[Array, Array]:
        """Return coefficients (M, p) relative to the references, and changes of the intercepts."""
        has_one = self.reference >= 0
        base = np.where(has_one, coef[:, self.reference], 0.0)
        references = np.unique(self.reference[has_one])
        return coef[:, self.columns] - base, coef[:, references].sum(axis=1)


def contrasts(preparer: Preparer, data: Dataset, means: Array) -> Contrast:
    """Return the prepared columns relative to the most frequent level of each category."""
    columns = prepared_names(preparer, data)
    names, kept_columns, reference = [], [], []
    begin = 0
    for i, learned in enumerate(preparer.columns_):
        number = (
            len(learned.of_column) if isinstance(learned, Coding) else 1 + learned.has_indicator
        )
        own_columns = range(begin, begin + number)
        begin += number
        base = -1
        against = ""
        if isinstance(learned, Coding):
            known = data.levels[i] if data.levels is not None else None
            if number > 1:
                base = begin - number + int(means[own_columns.start : own_columns.stop].argmax())
                against = f" (against {_level(learned.of_column[base - own_columns.start], known)})"
            elif learned.dropped is not None:
                against = f" (against {_level(learned.dropped, known)})"
        for column in own_columns:
            if column != base:
                names.append(columns[column] + against)
                kept_columns.append(column)
                reference.append(base)
    return Contrast(tuple(names), np.array(kept_columns, np.intp), np.array(reference, np.intp))


def _level(level: int, known: Sequence[str] | None) -> str:
    return _CALLED.get(level) or (str(level) if known is None else known[level])


def prepared_names(preparer: Preparer | None, data: Dataset) -> tuple[str, ...]:
    """Return the names of the columns of a fitted preparer, such as "Sex = male"."""
    if preparer is None:
        return data.feature_names
    return tuple(_names(preparer, data.feature_names, data.levels))


def source_features(preparer: Preparer | None, data: Dataset) -> NDArray[np.intp]:
    """Return the feature from which each column of a fitted preparer was made, shape (q,)."""
    if preparer is None:
        return np.arange(data.n_features)
    widths = [
        1 + learned.has_indicator if isinstance(learned, Filling) else len(learned.of_column)
        for learned in preparer.columns_
    ]
    words = data.n_table_columns + np.asarray(preparer.words_, dtype=np.intp)
    return np.concatenate([np.repeat(np.arange(len(widths)), widths), words])


def _names(
    preparer: Preparer, names: Sequence[str], levels: Sequence[Sequence[str] | None] | None
) -> list[str]:
    """Name the prepared columns, with level numbers if levels have no names."""
    prepared: list[str] = []
    for i, (name, learned) in enumerate(zip(names, preparer.columns_, strict=False)):
        if isinstance(learned, Filling):
            prepared += [name, f"{name} missing"][: 1 + learned.has_indicator]
            continue
        known = levels[i] if levels is not None else None
        for level in learned.of_column:
            prepared.append(f"{name} = {_level(level, known)}")
    first_word = len(names) - preparer.n_words
    return prepared + [names[first_word + i] for i in preparer.words_]
