"""A row typed in by the user."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from lincore.data.dataset import Dataset
from lincore.errors import DataError
from lincore.inspection.planes import median_row
from lincore.model_selection.fitted_model import FittedModel


def typed_row(
    model: FittedModel, values: Mapping[str, Any] | None = None, training: Dataset | None = None
) -> pd.DataFrame:
    """Return one row with the columns of the training data.

    Parameters
    ----------
    model : FittedModel
        Model of a table.
    values : mapping of str to value, optional
        Values by column; None is missing, and numbers may be given as text.
    training : Dataset, optional
        Training rows whose median observation fills columns without a value. Default: the median
        observation stored in the model.

    Returns
    -------
    DataFrame of one row

    Raises
    ------
    DataError
        If the model is of images, or a column is unknown.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> model = lincore.compare(iris, "lda", keep_models=True).model("lda")
    >>> typed_row(model, {"petal length (cm)": 6.0}, iris).to_numpy().tolist()
    [[5.8, 3.0, 6.0, 1.3]]
    """
    if model.image_shape is not None:
        raise DataError("Images cannot be typed in.", where=model.label, remedy="Give a file.")
    columns = model.feature_names[: len(model.feature_names) - model.n_words]
    given = dict(values or {})
    unknown = next((name for name in given if name not in (*columns, *model.text_columns)), None)
    if unknown is not None:
        raise DataError(
            f"There is no column {unknown!r}.",
            where="row typed in",
            remedy=f"The columns are {', '.join((*columns, *model.text_columns)[:20])}.",
        )
    row = dict(zip(columns, _median_observation(model, len(columns), training), strict=True))
    row |= dict.fromkeys(model.text_columns, "")
    return pd.DataFrame({name: [given.get(name, value)] for name, value in row.items()})


def _median_observation(model: FittedModel, n_columns: int, training: Dataset | None) -> list[Any]:
    """Return the median of each number and the most frequent level of each category."""
    observation = np.full(n_columns, np.nan)
    if training is not None:
        observation = median_row(training, np.arange(training.n_rows))[:n_columns]
    elif model.training is not None and model.training.medians is not None:
        observation = np.asarray(model.training.medians)[:n_columns]
    levels = model.levels or (None,) * n_columns
    return [
        None if np.isnan(value) else value if names is None else names[int(value)]
        for value, names in zip(observation.tolist(), levels, strict=False)
    ]
