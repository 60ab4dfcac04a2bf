"""Sentences on the rows of a data set or of a table, and on the rows that a model needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lincore.errors import DataError
from lincore.io.tables.row_filters import matching_rows
from lincore.model_selection.streamed_rows import training_counts
from lincore.utils.formatting import count

if TYPE_CHECKING:
    import pandas as pd

    from lincore.data.dataset import Dataset, Split
    from lincore.io.tables.table import Condition
    from lincore.model_selection.fitted_model import FittedModel

# Maximum number of columns named in a sentence.
_MOST_NAMED = 8


def streamed_rows_sentence(data: Dataset, split: Split) -> str:
    """State what models learn from the rows that are not in memory; empty if there are none.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> streamed_rows_sentence(iris, lincore.split(iris))
    ''
    """
    if not data.n_streamed:
        return ""
    if training_counts(data, *split).sum() == len(split.train):
        return f"Everything on this page refers to the {count(data.n_rows, 'row')} in memory."
    return (
        f"All models also learn from the {data.n_streamed:,} streamed rows. They are tested on "
        "rows in memory."
    )


def matching_finding(frame: pd.DataFrame, condition: Condition) -> str:
    """State how many rows of a table meet a condition; 0 if values and condition are incomparable.

    Examples
    --------
    >>> import pandas as pd
    >>> from lincore.io import Condition
    >>> matching_finding(pd.DataFrame({"age": [15, 20, 31]}), Condition("age", "between", (18, 30)))
    '1 of 3 rows matches.'
    """
    try:
        n_matching = int(matching_rows(frame, (condition,), "").sum())
    except DataError:
        n_matching = 0
    verb = "matches" if n_matching == 1 else "match"
    return f"{n_matching:,} of {count(len(frame), 'row')} {verb}."


def edits_finding(n_edits: int, n_used: int, n_rows: int) -> str:
    """State how many rows of a table are used, if not all, and how many edits there are.

    Examples
    --------
    >>> edits_finding(2, 30, 40)
    '30 of 40 rows, 2 edits:'
    """
    rows = f"{n_used:,} of {count(n_rows, 'row')}, " if n_used < n_rows else ""
    return f"{rows}{count(n_edits, 'edit')}:"


def groups_sentence(data: Dataset, *, together: bool) -> str:
    """State whether groups of rows are kept together; "" if the data have none.

    Parameters
    ----------
    data : Dataset
    together : bool
        Whether no group has rows in both training and test set.
    """
    if data.groups is None:
        return ""
    if together:
        return "Groups are kept together: no group has rows in both training and test set."
    return "Groups are not kept together: scores may be biased upwards."


def wanted_rows_sentence(model: FittedModel) -> str:
    """State what a file of new rows needs, so that a model can predict them.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.load((lincore.sample("iris").X[:, :2], lincore.sample("iris").y))
    >>> model = lincore.compare(iris, "lda", keep_models=True).model("lda")
    >>> wanted_rows_sentence(model)[:70]
    'A table (CSV, text, Parquet) with the columns feature 1, feature 2, in'
    """
    if model.image_shape is not None:
        return "Images, or a zip of them; they are resized to the training images."
    columns = model.schema.columns
    named = ", ".join(columns[:_MOST_NAMED]) + (", …" if len(columns) > _MOST_NAMED else "")
    return (
        f"A table (CSV, text, Parquet) with the columns {named}, in any order. With the column "
        f"{model.target_name}, there are scores too."
    )
