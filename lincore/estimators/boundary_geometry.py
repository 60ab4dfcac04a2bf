"""Decision boundaries and Mahalanobis distances in the original features and units."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.pipeline import Pipeline

from lincore.linalg.quadric import Quadric
from lincore.utils.typing import Array


def discriminants(model: Any) -> list[Quadric]:
    """Return the score of each class as a function of the features."""
    steps = model.steps if isinstance(model, Pipeline) else [("classify", model)]
    classifier = steps[-1][1]
    if not callable(getattr(classifier, "discriminants", None)):
        raise TypeError(f"{type(classifier).__name__} has no discriminants in closed form.")
    functions: list[Quadric] = classifier.discriminants()
    for name, step in reversed(steps[:-1]):
        if name == "impute":
            continue
        if not callable(getattr(step, "affine", None)):
            raise TypeError(f"The step {name!r} is not affine: planes do not stay planes.")
        origin, matrix = step.affine()
        functions = [function.pulled_back(matrix, origin) for function in functions]
    return functions


def boundary(model: Any, first: int, second: int) -> Quadric:
    """Return the function whose zero set is the boundary between two classes.

    Parameters
    ----------
    model
        As for `discriminants`.
    first, second : int
        Positions of two classes; the function is positive if the first has the higher score.

    Returns
    -------
    Quadric
        ``xᵀAx + bᵀx + c = 0``, with A zero for linear classifiers.

    Examples
    --------
    >>> from lincore import LinearDiscriminantAnalysis
    >>> X = np.array([[4.0, 5.0], [4.4, 4.8], [3.8, 4.2], [6.0, 3.0], [6.6, 3.8], [6.4, 3.1]])
    >>> lda = LinearDiscriminantAnalysis().fit(X, ["a", "a", "a", "b", "b", "b"])
    >>> line = boundary(lda, 0, 1)
    >>> line.is_linear, (line.values(X) > 0).tolist()
    (True, [True, True, True, False, False, False])
    """
    functions = discriminants(model)
    return functions[first].less(functions[second])


def mahalanobis(model: Any, X: ArrayLike) -> Array:
    """Return the dimensionless Mahalanobis distance of each row from each class.

    Parameters
    ----------
    model : Gaussian classifier of lincore, or Pipeline that ends in one
        Fitted. In a pipeline, distances are measured in the coordinates of the classifier.
    X : array-like of shape (n, p)

    Returns
    -------
    ndarray of shape (n, K)

    Raises
    ------
    TypeError
        If the classifier has no class densities.
    """
    if isinstance(model, Pipeline):
        steps = model[:-1]
        X = steps.transform(X) if len(steps) else X
        model = model.steps[-1][1]
    if not hasattr(model, "densities_"):
        raise TypeError(f"{type(model).__name__} has no class densities for distances.")
    return np.sqrt(model.densities_.squared_distances(X))
