"""A fitted method that takes the raw rows of a new file and names what it predicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.data.frames import as_frame, is_frame
from lincore.data.labels import is_number
from lincore.errors import DataError
from lincore.io.tables.dates import to_days
from lincore.io.tables.features import level_name
from lincore.preprocessing.tabular import prepared_names
from lincore.utils.typing import Array


@dataclass(frozen=True, eq=False)
class FittedModel:
    """Steps and classifier, fitted on all rows of a data set.

    Parameters
    ----------
    label : str
        What the method is called.
    pipeline : Pipeline
        Takes rows in the form of ``Dataset.X`` and predicts codes, positions in `classes`.
    feature_names : tuple of p str
    levels : tuple of p (tuple of str, or None), optional
        See `Dataset`.
    n_words : int
    classes : ndarray of shape (K,)
    target_name : str
    data_name : str
        Of the data that it was fitted on.
    column_names : tuple of q str, optional
        Of the columns that the first step makes of the features, such as "sex = male"; none where
        a basis or a projection follows.

    Examples
    --------
    >>> import lincore
    >>> passengers = lincore.sample("passengers")
    >>> results = lincore.compare(passengers, "lda", keep_models=True)
    >>> model = results.model("lda")
    >>> model
    <LDA, fitted on passengers: 7 features predict 'survived': 2 classes>
    >>> new = {"cabin class": ["first", "third"], "sex": ["female", "male"], "age": [30, None],
    ...        "relatives": [0, 1], "fare": [80.0, 8.5], "port": ["Cherbourg", None],
    ...        "deck": ["C", None], "a column that it does not know": [1, 2]}
    >>> model.predict(pd.DataFrame(new)).tolist()
    ['yes', 'no']
    >>> model.predict_proba(pd.DataFrame(new)).round(2)
         no   yes
    0  0.29  0.71
    1  0.98  0.02
    """

    label: str
    pipeline: Pipeline
    feature_names: tuple[str, ...]
    levels: tuple[tuple[str, ...] | None, ...] | None
    n_words: int
    classes: NDArray[Any]
    target_name: str
    data_name: str = ""
    column_names: tuple[str, ...] | None = None

    @classmethod
    def of(cls, data: Dataset, pipeline: Pipeline, label: str) -> FittedModel:
        """Take a pipeline that was fitted on rows of a data set."""
        steps = pipeline.named_steps
        mixed = any(step in steps for step in ("basis", "pca", "svd"))
        names = None if mixed else prepared_names(steps.get("prepare"), data)
        return cls(
            label,
            pipeline,
            data.feature_names,
            data.levels,
            data.n_words,
            data.classes,
            data.target_name,
            data.name,
            names,
        )

    def __repr__(self) -> str:
        """Say what it is, what it was fitted on, and what it predicts."""
        target = f" predict {self.target_name!r}" if self.target_name else ""
        data = f" on {self.data_name}" if self.data_name else ""
        return (
            f"<{self.label}, fitted{data}: {len(self.feature_names):,} features{target}: "
            f"{len(self.classes)} classes>"
        )

    @property
    def classifier(self) -> Any:
        """The last step."""
        return self.pipeline.steps[-1][1]

    def predict(self, rows: Any) -> pd.Series[Any]:
        """Return the class of each row, under the name of the target.

        Parameters
        ----------
        rows : DataFrame, or another library's table
            The columns of the file that was learned from, by name and in any order; others are
            left alone. A level that was never seen counts as unknown. Or an array (n, p), in the
            form of ``Dataset.X``.

        Raises
        ------
        DataError
            When a column is missing, or holds text where numbers were learned.
        """
        X, index = self._read(rows)
        found = self.classes[np.asarray(self.pipeline.predict(X), dtype=np.intp)]
        return pd.Series(found, index=index, name=self.target_name or "class")

    def predict_proba(self, rows: Any) -> pd.DataFrame:
        """Return the posterior probability of each class, a column for each.

        Raises
        ------
        DataError
            As for `predict`.
        AttributeError
            When the method has no posteriors.
        """
        X, index = self._read(rows)
        found = np.zeros((X.shape[0], len(self.classes)))
        # A class of which a step left no row behind has no column.
        found[:, np.asarray(self.classifier.classes_, dtype=int)] = self.pipeline.predict_proba(X)
        return pd.DataFrame(found, index=index, columns=list(self.classes))

    def _read(self, rows: Any) -> tuple[Any, Any]:
        """Return rows in the form of ``Dataset.X``, and what they are called."""
        if isinstance(rows, Dataset):
            rows = rows.to_frame().iloc[:, :-1] if not self.n_words else rows.X
        if not is_frame(rows):
            X = rows if hasattr(rows, "tocsr") else np.asarray(rows, dtype=float)
            return self._of_width(X), None
        if self.n_words:
            raise DataError(
                "It counts words, which a table of raw texts does not say.",
                where=self.label,
                remedy="Load the new file as the first one, and pass its X.",
            )
        frame = as_frame(rows)
        self._require_columns([str(name) for name in frame.columns])
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
        levels: Sequence[Any] = self.levels or [None] * len(self.feature_names)
        columns = [
            _numbers(frame[name]) if known is None else _codes(frame[name], known)
            for name, known in zip(self.feature_names, levels, strict=True)
        ]
        return np.column_stack(columns), frame.index

    def _of_width(self, X: Any) -> Any:
        if np.ndim(X) != 2 or X.shape[1] != len(self.feature_names):
            raise DataError(
                f"Rows of {len(self.feature_names)} features are wanted, not an array of shape "
                f"{np.shape(X)}.",
                where=self.label,
                remedy="Pass a DataFrame with the columns of the file, or X of a data set.",
            )
        return X

    def _require_columns(self, given: list[str]) -> None:
        missing = [name for name in self.feature_names if name not in given]
        if missing:
            raise DataError(
                f"Missing: {', '.join(map(repr, missing[:5]))}"
                f"{f' and {len(missing) - 5} more' if len(missing) > 5 else ''}.",
                where="columns of the new rows",
                remedy=f"It was fitted on {self.data_name}, with these columns.",
            )


def _numbers(column: pd.Series[Any]) -> Array:
    if pd.api.types.is_datetime64_any_dtype(column):
        column = to_days(column)
    elif not is_number(column):
        read = pd.to_numeric(column, errors="coerce")
        wrong = column[read.isna() & column.notna() & (column.astype(str).str.strip() != "")]
        if len(wrong):
            raise DataError(
                f"{wrong.iloc[0]!r} is no number, and numbers were learned.",
                where=f"column {column.name!r}",
                remedy="Correct it, or leave the cell empty.",
            )
        column = read
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _codes(column: pd.Series[Any], known: Sequence[str]) -> Array:
    code_of = {name: float(code) for code, name in enumerate(known)}
    # Behind the last level stands one that is not known, see `Preparer`.
    found = column.map(
        lambda value: code_of.get(level_name(value), float(len(known))), na_action="ignore"
    )
    return found.astype(object).to_numpy(dtype=np.float64, na_value=np.nan)
