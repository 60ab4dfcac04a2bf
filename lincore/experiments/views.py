"""One or two coordinates in which rows, class densities and boundaries can be drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax
from sklearn.pipeline import Pipeline

from lincore.datasets import Dataset
from lincore.experiments.pipeline import before_classifier
from lincore.gaussian import Gaussians

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class View:
    """Rows and class densities in d = 1 or 2 coordinates of a fitted model.

    Parameters
    ----------
    axis_names : tuple of d str
        With units where they are known.
    points : ndarray of shape (n, d)
    codes : ndarray of shape (n,)
        True classes of the rows.
    predicted : ndarray of shape (n,)
        What the model, which may see more than these coordinates, takes them for.
    rows : ndarray of shape (n,)
        Which rows of the data set they are.
    classes : ndarray of shape (K,)
    densities : Gaussians
        Of the classes, in these coordinates.
    priors : ndarray of shape (K,)
    caption : str
        What the picture shows of the model, and what it does not.
    """

    axis_names: tuple[str, ...]
    points: Array
    codes: NDArray[np.intp]
    predicted: NDArray[np.intp]
    rows: NDArray[np.intp]
    classes: NDArray[Any]
    densities: Gaussians
    priors: Array
    caption: str

    def log_joint(self, Z: Array) -> Array:
        """Return ``log p_k + log p(z | k)`` at points Z (g, d), shape (g, K)."""
        with np.errstate(divide="ignore"):
            return self.densities.log_density(Z) + np.log(self.priors)

    def log_posterior(self, Z: Array) -> Array:
        """Return the log posterior of each class given these coordinates alone, (g, K)."""
        return np.asarray(log_softmax(self.log_joint(Z), axis=1))


def model_view(
    pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp], axes: tuple[int, ...] = (0, 1)
) -> View:
    """Look at a fitted Gaussian model along some of the coordinates that its classifier sees.

    With more coordinates than are looked at, the others are integrated out: the exact Gaussian
    marginal. Features that were not projected are shown in their own units.

    Parameters
    ----------
    pipeline : Pipeline
        As `lincore.experiments.pipeline.build_pipeline` makes them, fitted.
    data : Dataset
    rows : ndarray of shape (n,)
        Which rows to show.
    axes : tuple of one or two int
        Positions among the classifier's coordinates.
    """
    model = pipeline.named_steps["classify"]  # fitted on codes, see `holdout.fit`
    scores = before_classifier(pipeline, data.X[rows])
    axes = tuple(axis for axis in axes if axis < scores.shape[1])
    chosen = list(axes)
    means, covariance = model.means_[:, chosen], model.covariance_[np.ix_(chosen, chosen)]
    points = scores[:, chosen]
    if "pca" in pipeline.named_steps:
        names = tuple(f"Component {axis + 1}" for axis in axes)
    else:
        names = tuple(data.feature_names[axis] for axis in axes)
        if "standardize" in pipeline.named_steps:
            step = pipeline.named_steps["standardize"]
            origin, scale = step.mean_[chosen], step.scale_[chosen]
            points, means = origin + points * scale, origin + means * scale
            covariance = covariance * np.outer(scale, scale)
    densities = Gaussians.from_covariances(means, np.stack([covariance] * len(means)))
    return View(
        axis_names=names,
        points=points,
        codes=data.codes[rows],
        predicted=model.predict(scores),
        rows=rows,
        classes=data.classes,
        densities=densities,
        priors=model.priors_,
        caption=_caption(names, scores.shape[1]),
    )


def _caption(names: tuple[str, ...], n_coordinates: int) -> str:
    rest = n_coordinates - len(names)
    if not rest:
        return "The whole model: it uses nothing but these axes."
    return (
        f"Seen from {' and '.join(names)} alone: the other {rest} coordinates that the model uses "
        "are integrated out, so its own decisions can differ from the regions drawn here."
    )
