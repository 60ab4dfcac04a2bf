"""Views of a plane: rows, class densities and decision boundaries in its coordinates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset
from lincore.data.kinds import RowNoun
from lincore.estimators.fisher import FisherDiscriminant
from lincore.estimators.multiclass import BinaryModels
from lincore.inspection import evaluate
from lincore.inspection.decision_functions import (
    AffineDecision,
    DecisionFunction,
    ModelDecision,
)
from lincore.inspection.gaussian_slices import Densities
from lincore.inspection.planes import (
    Plane,
    coordinate_plane,
    drawable_units,
    feature_plane,
    named_units,
    rescale_gaussians,
)
from lincore.inspection.weights import classifier_input_names
from lincore.linalg.gaussian import Gaussians
from lincore.model_selection.pipeline import transform_for_classifier
from lincore.utils.typing import Array

Quantity = Literal["posterior", "density", "score"]


@dataclass(frozen=True, eq=False)
class View:
    """Rows and a model in d = 1 or 2 coordinates.

    Parameters
    ----------
    axis_names : tuple of d str
        With units if known, and with the power of ten by which coordinates outside 1e-15 to 1e15
        are divided.
    points : ndarray of shape (n, d)
    codes : ndarray of shape (n,)
        True classes of the rows.
    predicted : ndarray of shape (n,)
        Predictions of the model, which may use more than these coordinates.
    rows : ndarray of shape (n,)
        Positions of the rows in the data set.
    classes : ndarray of shape (K,)
    densities : Gaussians or None
        Class densities in these coordinates; None if the model has none.
    priors : ndarray of shape (K,)
        Weights of the classes; in a slice, their probabilities given the slice.
    caption : str
        Explains what the plot shows of the model.
    subject : str
        Description of the plane, for a title; empty if it shows the whole model.
    log_weights : ndarray of shape (K,), optional
        Logarithms of `priors`, given if these may underflow.
    decision_function : DecisionFunction, optional
        Used if there are no densities.
    ambiguous : ModelDecision, optional
        For one-versus-rest and one-versus-one: shows where binary models contradict each other.
    levels : tuple of d (tuple of str, or None), optional
        The names of 0, 1, … on an axis that holds categories.
    units : ndarray of shape (d,), optional
        Powers of ten by which coordinates were divided.
    noun : {"rows", "texts", "images"}
        What the rows are.
    """

    axis_names: tuple[str, ...]
    points: Array
    codes: NDArray[np.intp]
    predicted: NDArray[np.intp]
    rows: NDArray[np.intp]
    classes: NDArray[Any]
    densities: Gaussians | None
    priors: Array
    caption: str
    subject: str = ""
    log_weights: Array | None = None
    decision_function: DecisionFunction | None = None
    ambiguous: ModelDecision | None = None
    levels: tuple[tuple[str, ...] | None, ...] | None = None
    units: Array | None = None
    noun: RowNoun = "rows"

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """Quantities of this model that can be shaded, the most informative first."""
        if self.densities is not None:
            return ("posterior", "density")
        return ("posterior", "score") if self._decision_function.has_posterior else ("score",)

    def scores(self, Z: Array) -> Array:
        """Return scores (g, K) at points Z (g, d); the class with the largest is predicted."""
        return (
            self.log_joint(Z) if self.densities is not None else self._decision_function.scores(Z)
        )

    @cached_property
    def n_faithful(self) -> int:
        """Number of rows that lie in the region of their predicted class."""
        if not len(self.points):
            return 0
        scores = self.scores(self.points)
        largest = np.where(np.isnan(scores), -np.inf, scores).argmax(axis=1)
        return int(np.count_nonzero(largest == self.predicted))

    @property
    def fidelity(self) -> str:
        """Sentence about how many rows lie in the region of their predicted class."""
        n_rows = len(self.points)
        if self.n_faithful == n_rows:
            return f"The regions show all {n_rows:,} predictions correctly."
        return (
            f"The regions show {self.n_faithful:,} of {n_rows:,} predictions correctly; the "
            "others depend on coordinates off the plane."
        )

    @property
    def half_planes(self) -> BinaryModels | None:
        """The one-versus-rest or one-versus-one model, if its models are lines here; else None."""
        section = self.ambiguous.section if self.ambiguous is not None else None
        return section if len(self.axis_names) == 2 else None

    @property
    def gaussians(self) -> Gaussians:
        """The class densities; raises ValueError if the model has none."""
        if self.densities is None:
            raise ValueError("This model has no class densities to draw; draw its posterior.")
        return self.densities

    def log_joint(self, Z: Array) -> Array:
        """Return ``log p_k + log p(z | k)`` at points Z (g, d), shape (g, K)."""
        with np.errstate(divide="ignore"):
            weights = np.log(self.priors) if self.log_weights is None else self.log_weights
        return self.gaussians.log_density(Z) + weights

    def log_posterior(self, Z: Array) -> Array:
        """Return the log posterior of each class at points Z (g, d), shape (g, K)."""
        if self.densities is None:
            return self._decision_function.log_posterior(Z)
        joint = self.log_joint(Z)
        return np.asarray(log_softmax(np.where(np.isnan(joint), -np.inf, joint), axis=1))

    @property
    def _decision_function(self) -> DecisionFunction:
        if self.decision_function is None:
            raise ValueError("A view needs densities or a decision function.")
        return self.decision_function


def make_view(
    pipeline: Pipeline,
    data: Dataset,
    rows: NDArray[np.intp],
    plane: Plane,
    *,
    how: Literal["auto", "cut", "marginal"] = "auto",
) -> View:
    """Return the view of a fitted pipeline in a plane.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted on codes, with "classify" as last step.
    rows : ndarray of shape (n,)
        Rows to show; those with a missing value on an axis are left out.
    plane : Plane
        See `lincore.inspection.planes`.
    how : {"auto", "cut", "marginal"}
        "cut" evaluates the model itself at the rows that the points represent. "marginal" averages
        exactly over everything else, which only Gaussian classifiers allow. "auto" is the marginal
        if it exists and the plane is one of the classifier's coordinates.

    Raises
    ------
    ValueError
        If a marginal is requested that does not exist.
    """
    model = pipeline.steps[-1][1]
    seen = transform_for_classifier(pipeline, data.X[rows])
    points = plane.drop(data.X[rows] if plane.columns is not None else seen)
    complete = ~np.isnan(points).any(axis=1)
    if how == "auto":
        how = "marginal" if plane.columns is None and evaluate.is_gaussian(model) else "cut"
    predicted = np.asarray(model.predict(seen), dtype=np.intp)
    view = View(
        axis_names=plane.axis_names,
        points=points[complete],
        codes=data.codes[rows][complete],
        predicted=predicted[complete],
        rows=np.asarray(rows)[complete],
        classes=data.classes,
        densities=None,
        priors=np.full(data.n_classes, np.nan),
        caption=_caption(plane, how, int(np.count_nonzero(~complete))),
        subject=_subject(plane, how),
        levels=plane.levels if any(plane.levels) else None,
        noun=data.kind.rows,
    )
    if how == "marginal":
        view = _with_decision(view, evaluate.marginal(pipeline, data, plane))
    else:
        view = _with_decision(view, evaluate.cut(pipeline, data, plane, view.points))
    return _in_drawable_units(view)


def model_view(
    pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp], axes: tuple[int, ...] = (0, 1)
) -> View:
    """Return the view of a fitted model along some inputs of its classifier.

    Shows the exact marginal of a Gaussian classifier, and for others a slice at the means of the
    other coordinates in `rows`. Features that were not projected are shown in their own units.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted, as made by `lincore.model_selection.pipeline_for`.
    rows : ndarray of shape (n,)
        Rows to show.
    axes : tuple of one or two int
        Positions among the classifier's coordinates; those beyond them are left out.
    """
    plane = model_plane(pipeline, data, rows, axes)
    is_gaussian = evaluate.is_gaussian(pipeline.steps[-1][1])
    return make_view(pipeline, data, rows, plane, how="marginal" if is_gaussian else "cut")


def model_plane(
    pipeline: Pipeline, data: Dataset, rows: NDArray[np.intp], axes: tuple[int, ...] = (0, 1)
) -> Plane:
    """Return the plane of `model_view`, along some of the classifier's inputs.

    Parameters
    ----------
    pipeline, data, rows, axes
        As for `model_view`.

    Examples
    --------
    >>> import lincore
    >>> from lincore.model_selection.pipeline import Steps, pipeline_for
    >>> iris = lincore.sample("iris")
    >>> lda = pipeline_for(iris, lincore.LinearDiscriminantAnalysis(), Steps(n_components=3))
    >>> model_plane(lda.fit(iris.X, iris.codes), iris, np.arange(150), (0, 2)).axis_names
    ('Component 1', 'Component 3')
    """
    plain = evaluate.features_are_seen(pipeline, data)
    seen = transform_for_classifier(pipeline, data.X[rows[:1]])
    axes = tuple(axis for axis in axes if axis < seen.shape[1])
    if plain:
        return feature_plane(data, axes, rows, rest="mean")
    names = classifier_input_names(pipeline, data)
    centre = np.zeros(seen.shape[1])
    if not {"pca", "svd"} & set(pipeline.named_steps):
        centre = np.asarray(transform_for_classifier(pipeline, data.X[rows]).mean(axis=0)).ravel()
    unit = "" if {"pca", "svd", "basis"} & set(pipeline.named_steps) else ", standardised"
    unit = unit if "standardize" in pipeline.named_steps else ""
    return coordinate_plane(axes, tuple(f"{names[axis]}{unit}" for axis in axes), centre)


def row_in_view(view: View, plane: Plane, pipeline: Pipeline, row: Any) -> Array:
    """Return the position of a row in a view, shape (d,).

    Parameters
    ----------
    view : View
        View of the plane.
    pipeline : Pipeline
        Fitted.
    row : array of shape (1, p)
        In the form of ``Dataset.X``.

    Returns
    -------
    ndarray of shape (d,)
        In the units of the view's axes.

    Examples
    --------
    >>> import lincore
    >>> from lincore.inspection.planes import feature_plane
    >>> from lincore.model_selection.pipeline import pipeline_for
    >>> iris, rows = lincore.sample("iris"), np.arange(150)
    >>> lda = pipeline_for(iris, lincore.LinearDiscriminantAnalysis()).fit(iris.X, iris.codes)
    >>> plane = feature_plane(iris, (2, 3), rows)
    >>> row_in_view(make_view(lda, iris, rows, plane), plane, lda, iris.X[:1])
    array([1.4, 0.2])
    """
    seen = row if plane.columns is not None else transform_for_classifier(pipeline, row)
    position = plane.drop(seen)[0]
    return position if view.units is None else position / view.units


def fisher_view(
    fisher: FisherDiscriminant,
    along: Array,
    codes: NDArray[np.intp],
    rows: NDArray[np.intp],
    classes: NDArray[Any],
    *,
    axis_name: str = "Fisher's direction",
    noun: RowNoun = "rows",
) -> View:
    """Return the view of two classes along Fisher's single direction, with the threshold.

    Parameters
    ----------
    fisher : FisherDiscriminant
        Fitted to two classes.
    along : ndarray of shape (n,)
        Projections of the rows, by `FisherDiscriminant.transform`.
    codes, rows : ndarray of shape (n,)
        True classes, and positions of the rows in the data set.
    classes : ndarray of shape (2,)

    Examples
    --------
    >>> from lincore.estimators.fisher import FisherDiscriminant
    >>> X, y = np.array([[0.0], [2.0], [5.0], [7.0]]), np.array([0, 0, 1, 1])
    >>> fisher = FisherDiscriminant().fit(X, y)
    >>> along = fisher.transform(X)[:, 0]
    >>> view = fisher_view(fisher, along, y, np.arange(4), np.array(["a", "b"]))
    >>> view.predicted.tolist(), float(np.ptp(view.scores(np.zeros((1, 1)))))  # the midpoint
    ([0, 0, 1, 1], 0.0)
    >>> view.priors.tolist()
    [nan, nan]
    """
    means = fisher.projected_means_[:, :1]
    decision = AffineDecision(means, -0.5 * means[:, 0] ** 2, has_posterior=False)
    return View(
        axis_names=(axis_name,),
        points=along[:, None],
        codes=codes,
        predicted=decision.scores(along[:, None]).argmax(axis=1),
        rows=rows,
        classes=classes,
        densities=None,
        priors=np.full(len(classes), np.nan),
        caption="",
        decision_function=decision,
        noun=noun,
    )


def _with_decision(view: View, evaluated: Densities | DecisionFunction) -> View:
    """Return the view with densities or a decision function."""
    if isinstance(evaluated, Densities):
        gaussians, log_weights = evaluated
        return replace(
            view, densities=gaussians, priors=np.exp(log_weights), log_weights=log_weights
        )
    if isinstance(evaluated, ModelDecision) and isinstance(evaluated.model, BinaryModels):
        return replace(view, decision_function=evaluated, ambiguous=evaluated)
    return replace(view, decision_function=evaluated)


def _in_drawable_units(view: View) -> View:
    """Return the view with extreme coordinates divided by powers of ten."""
    units = drawable_units(view.points)
    if np.all(units == 1):
        return view
    return replace(
        view,
        axis_names=named_units(view.axis_names, units),
        points=view.points / units,
        units=units,
        densities=view.densities and rescale_gaussians(units, view.densities),
        decision_function=view.decision_function and view.decision_function.in_units(units),
        ambiguous=view.ambiguous and view.ambiguous.in_units(units),
    )


def _subject(plane: Plane, how: str) -> str:
    if not plane.rest:
        return plane.subject if plane.projection is not None else ""
    rest = "averaged over the other directions" if how == "marginal" else "the rest held fixed"
    return f"{plane.subject}, {rest}"


def _caption(plane: Plane, how: str, n_incomplete: int) -> str:
    names = " and ".join(plane.axis_names)
    if not plane.rest:
        text = "The whole model: it depends only on these axes."
    elif how == "marginal":
        rest = plane.rest.removeprefix("the other ").split(" held at")[0]
        text = f"The model in terms of {names} alone, averaged exactly over the other {rest}."
    else:
        vary = "vary" if len(plane.axis_names) > 1 else "varies"
        text = f"A slice of the model: {names} {vary}, with {plane.rest}."
    if n_incomplete:
        who = "1 row lacks" if n_incomplete == 1 else f"{n_incomplete:,} rows lack"
        text += f" {who} a value here and {'is' if n_incomplete == 1 else 'are'} not drawn."
    return text
