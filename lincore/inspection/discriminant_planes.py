"""The plane of a fitted model's leading discriminant directions."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.estimators.base.linear import LinearClassifier
from lincore.estimators.base.moment_classifier import MomentClassifier
from lincore.estimators.fisher import FisherDiscriminant
from lincore.inspection.planes import Plane, dense, rest_text
from lincore.linalg.eigenvectors import fix_signs
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.moments.moments import Moments
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Array


def discriminant_plane(
    pipeline: Pipeline,
    data: Dataset,
    rows: NDArray[np.intp],
    *,
    n_axes: int = 2,
    own: bool = True,
) -> Plane:
    """Return the plane of Fisher's first directions, or of a linear two-class model's direction.

    A linear model of two classes decides along a single direction, which is the first axis; the
    second is the direction of largest within-class variance that is uncorrelated with it. The
    coordinates off the plane are held at their within-class average given the position in the
    plane.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted. Fisher's discriminant is fitted to the classifier's inputs, unless the classifier is
        Fisher's discriminant or a linear model of two classes.
    rows : ndarray of shape (n,)
        The training rows.
    n_axes : {2, 1}
        1 for only the first direction.
    own : bool, default True
        False for Fisher's directions regardless of the model, so that several models share a plane.

    Returns
    -------
    Plane
        Its units are within-class standard deviations.

    Raises
    ------
    ValueError
        If the class means are equal.
    """
    model = pipeline.steps[-1][1]
    within = _Within.of(pipeline, data, rows)
    direction = _own_direction(model) if own else None
    if direction is None:
        directions = within.fisher(model).directions_[:n_axes]
    else:
        directions = (direction / within.deviation(direction))[None]
    names = [f"Discriminant {axis + 1}" for axis in range(len(directions))]
    if len(directions) == 1:
        names = ["Discriminant"]
        if n_axes == 2 and directions.shape[1] > 1:
            directions = np.vstack([directions, within.leading_uncorrelated(directions[0])])
            names.append("Within-class axis")
    n_rest = directions.shape[1] - len(directions)
    average = "the within-class average at that point"
    return Plane(
        axis_names=tuple(names),
        base=within.mean,
        steps=within.regression(directions),
        columns=None,
        projection=directions.T,
        subject="discriminant plane" if len(directions) == 2 else "discriminant direction",
        rest=rest_text(n_rest, "direction", average, average),
        levels=(None,) * len(directions),
    )


class _Within:
    """The within-class scatter of training rows: as moments, or as rows if these are smaller."""

    def __init__(
        self, mean: Array, moments: Moments | None, seen: Any, codes: Any, n_free: int
    ) -> None:
        self.mean, self.moments, self.seen, self.codes = mean, moments, seen, codes
        self.n_free = max(n_free, 1)

    @classmethod
    def of(cls, pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp]) -> _Within:
        """Use the model's moments if it keeps them, otherwise summarise its rows."""
        moments = _moments_of(pipeline.steps[-1][1], len(rows))
        if moments is not None:
            n_free = int(moments.count.sum() - np.count_nonzero(moments.count))
            return cls(moments.pooled_fully().mean, moments, None, None, n_free)
        seen, codes = dense(transform_for_classifier(pipeline, data.X[rows])), data.codes[rows]
        if len(seen) >= seen.shape[1]:
            moments = Moments.from_groups(seen, codes, data.n_classes)
        mean = np.asarray(seen.mean(axis=0, dtype=float))
        return cls(mean, moments, seen, codes, len(rows) - len(np.unique(codes)))

    @cached_property
    def centred(self) -> Array:
        """The rows minus the means of their classes, used only without moments."""
        centred: Array = self.seen.astype(float)
        for code in np.unique(self.codes):
            members = self.codes == code
            centred[members] -= centred[members].mean(axis=0)
        return centred

    def fisher(self, model: Any) -> FisherDiscriminant:
        """Return Fisher's discriminant of these rows."""
        if isinstance(model, FisherDiscriminant):
            return model
        with captured_warnings():  # warnings about the model are shown elsewhere
            if self.moments is not None:
                classes = np.arange(len(self.moments.count))
                return FisherDiscriminant().fit_moments(self.moments, classes)
            return FisherDiscriminant().fit(self.seen, self.codes)

    def multiply(self, directions: Array) -> Array:
        """Return directions (d, q) times the scatter."""
        if self.moments is not None:
            return np.asarray(directions @ self.moments.within())
        return np.asarray((self.centred @ directions.T).T @ self.centred)

    def deviation(self, direction: Array) -> float:
        """Return the standard deviation within classes along a direction (q,)."""
        square = float(self.multiply(direction[None])[0] @ direction)
        return (
            float(np.sqrt(square / self.n_free)) if square > 0 else float(np.linalg.norm(direction))
        )

    def regression(self, directions: Array) -> Array:
        """Return the regression coefficients (d, q) of rows on their projections."""
        # Within classes, the residual is uncorrelated with the projections.
        products = self.multiply(directions)
        return np.asarray(
            np.linalg.lstsq(products @ directions.T, products, rcond=None)[0], dtype=float
        )

    def leading_uncorrelated(self, first: Array) -> Array:
        """Return the direction (q,) of largest variance that is uncorrelated with `first`."""
        slope = self.regression(first[None])[0]  # of rows on their projection on `first`
        if self.moments is not None:
            scatter = self.moments.within()
            values = scatter - np.outer(slope, slope) * float(first @ scatter @ first)
            axis = np.linalg.eigh(values)[1][:, -1]
        else:
            residuals = self.centred - np.outer(self.centred @ first, slope)
            axis = residuals.T @ np.linalg.eigh(residuals @ residuals.T)[1][:, -1]
            axis /= np.linalg.norm(axis) or 1.0
        axis = fix_signs(axis[:, None])[:, 0]
        direction = axis - float(axis @ slope) * first
        return np.asarray(direction / self.deviation(direction))


def _own_direction(model: Any) -> Array | None:
    """Return the direction (q,) along which a linear model decides between two classes."""
    if not isinstance(model, LinearClassifier) or len(model.coef_) != 1:
        return None
    direction = np.asarray(model.coef_[0], dtype=float)
    largest = np.abs(direction).max()
    if not np.isfinite(largest) or largest == 0:
        return None
    return np.asarray(direction / largest)


def _moments_of(model: Any, n_rows: int) -> Moments | None:
    """Return the moments from which a classifier was fitted, if they have the full scatter."""
    if not isinstance(model, MomentClassifier) or n_rows < model.n_features_in_:
        return None
    moments = model.moments_
    return moments if moments.scatter.ndim == 3 else None
