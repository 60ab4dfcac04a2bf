"""What an experiment leaves behind: one frozen object that every score is computed from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Results:
    """Predictions of some methods for the same rows, none of which a method was fitted on.

    Parameters
    ----------
    methods : tuple of M str
    classes : ndarray of shape (K,)
        The labels; all codes are positions in it.
    rows : ndarray of shape (m,)
        Which row of the data set each prediction is for.
    truth : ndarray of shape (m,)
        True codes.
    predicted : ndarray of shape (M, m)
        Predicted codes.
    log_proba : ndarray of shape (M, m, K)
        Logarithms of the posterior probabilities.
    seconds : ndarray of shape (M,)
        Time to fit each method.
    fold, repetition : ndarray of shape (m,), optional
        Of each prediction; zeros for one test set.
    settings : mapping, optional
        Whatever is needed to make these results again.

    Raises
    ------
    ValueError
        When the shapes do not fit together.
    """

    methods: tuple[str, ...]
    classes: NDArray[Any]
    rows: NDArray[np.intp]
    truth: NDArray[np.intp]
    predicted: NDArray[np.intp]
    log_proba: NDArray[np.float64]
    seconds: NDArray[np.float64]
    fold: NDArray[np.intp] | None = None
    repetition: NDArray[np.intp] | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check the shapes and fill in the single fold of one test set."""
        n_methods, n_rows, n_classes = len(self.methods), len(self.rows), len(self.classes)
        for name in ("fold", "repetition"):
            if getattr(self, name) is None:
                object.__setattr__(self, name, np.zeros(n_rows, dtype=np.intp))
        expected = {
            "truth": (n_rows,),
            "fold": (n_rows,),
            "repetition": (n_rows,),
            "predicted": (n_methods, n_rows),
            "log_proba": (n_methods, n_rows, n_classes),
            "seconds": (n_methods,),
        }
        for name, shape in expected.items():
            if np.shape(getattr(self, name)) != shape:
                raise ValueError(f"{name} has shape {np.shape(getattr(self, name))}, not {shape}.")

    def position(self, method: str) -> int:
        """Return where a method stands; KeyError with the known names if it does not."""
        if method not in self.methods:
            raise KeyError(f"No method {method!r}; there are {', '.join(self.methods)}.")
        return self.methods.index(method)
