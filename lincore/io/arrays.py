"""Arrays of features and labels as a data set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from lincore.data.dataset import Dataset
from lincore.data.labels import encode_labels, lone_class_notices, numbered, pixel_names
from lincore.errors import DataError
from lincore.io.tables.features import refuse_infinite


def arrays_to_dataset(X: Any, y: Any, *, name: str = "arrays") -> Dataset:
    """Build a data set from arrays as they are: no column is judged or left out.

    Parameters
    ----------
    X : (n, p) array, or (n, height, width) uint8 array of grey images
    y : (n,) array
        Labels.
    name : str

    Returns
    -------
    Dataset
        `X` in float64; uint8 stays as it is.

    Raises
    ------
    DataError
        When the shapes do not fit, a value is no number or infinite, or a label is missing.

    Examples
    --------
    >>> arrays_to_dataset([[1, 2], [3, 4]], ["b", "a"]).codes.tolist()
    [1, 0]
    """
    X, y = np.asarray(X), np.asarray(y)
    shape = X.shape[1:] if X.ndim == 3 and X.dtype == np.uint8 else None
    X = X.reshape(len(X), -1) if shape else X
    if X.ndim != 2 or y.shape != X.shape[:1] or X.size == 0:
        raise DataError(
            f"X of shape {X.shape} and y of shape {y.shape} do not fit.",
            where=name,
            remedy="Give X as (rows, features) and y as (rows,).",
        )
    if pd.isna(y).any():
        raise DataError("Some labels are missing.", where=name, remedy="Leave those rows out.")
    features = pixel_names(*shape) if shape else numbered("feature", X.shape[1])
    if X.dtype != np.uint8:
        X = _as_float(X, name)
        refuse_infinite(X, features, name, lambda row: f"data row {row + 1}")
    codes, classes = encode_labels(y, name)
    notices = lone_class_notices(codes, classes)
    return Dataset(name, X, codes, classes, features, image_shape=shape, notices=notices)


def _as_float(X: np.ndarray, name: str) -> np.ndarray:
    try:
        return X.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(
            f"X holds something that is not a number: {error}.",
            where=name,
            remedy="Encode text as numbers first, or load a DataFrame.",
        ) from error
