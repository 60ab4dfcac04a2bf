"""Principal components and Fisher's discriminant of one training set."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from lincore.data.dataset import Dataset, Split
from lincore.data.splits import split as split_rows
from lincore.estimators.fisher import FisherDiscriminant
from lincore.linalg.fisher_criterion import fisher_criterion
from lincore.linalg.products import blocked_product
from lincore.model_selection import hold_out
from lincore.model_selection.pipeline import Steps, pipeline_for, transform_for_classifier
from lincore.moments.moments import Moments
from lincore.preprocessing.tabular import prepared_names
from lincore.utils.displayed import display
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Array

# Beyond these nobody looks at components one by one.
MOST_COMPONENTS = 200
# Singular vectors of counted words: each costs a pass over the rows.
MOST_VECTORS = 50
# How many components of images and of wide tables Fisher's discriminant sees.
FISHER_COMPONENTS = 50


@dataclass(frozen=True, eq=False)
class Projection:
    """Principal components of the training rows, and Fisher's directions behind them.

    Parameters
    ----------
    pipeline : Pipeline
        The steps before the projection, and last "pca", or "svd" for rows of words.
    names : tuple of p str
        Of the features that the projection sees: categories by level, missing-value codes.
    moments : Moments of shapes (K,), (K, k), (K, k, k)
        By class, of the training rows along the k components.
    """

    pipeline: Pipeline
    names: tuple[str, ...]
    moments: Moments

    @property
    def is_sparse(self) -> bool:
        """True if singular vectors of rows that are not centred stand in for components."""
        return "svd" in self.pipeline.named_steps

    @property
    def components(self) -> Array:
        """Orthonormal rows (k, p), in units of what the projection sees."""
        return np.asarray(self._last.components_)

    @property
    def shares(self) -> Array:
        """Share of the variance that each component holds, (k,); of PCA also those not kept."""
        if self.is_sparse:
            return np.asarray(self._last.explained_variance_ratio_)
        return np.asarray(self._last.all_variances_ / self._last.all_variances_.sum())

    def scores(self, X: Any, axes: tuple[int, ...], *, whiten: bool = False) -> Array:
        """Return rows along some components.

        Parameters
        ----------
        X : (n, p) array or CSR
            As in `Dataset.X`.
        axes : tuple of d int
        whiten : bool, default False
            In standard deviations of the training rows.

        Returns
        -------
        ndarray of shape (n, d)
        """
        weights = self.components[list(axes)].T
        if whiten:
            weights = weights / np.sqrt(self._last.explained_variance_[list(axes)])
        return self._along(X, weights)

    def fisher(self, n_components: int) -> FisherDiscriminant:
        """Fit Fisher's discriminant on the first components, from their moments.

        Raises
        ------
        ValueError
            When the means of the classes are equal.
        """
        if n_components not in self._discriminants:
            first = np.eye(len(self.components))[:, :n_components]
            classes = np.arange(len(self.moments))
            with captured_warnings():  # of the features the data checks speak
                fitted = FisherDiscriminant().fit_moments(self.moments.map(first), classes)
            self._discriminants[n_components] = fitted
        return self._discriminants[n_components]

    @cached_property
    def _discriminants(self) -> dict[int, FisherDiscriminant]:
        return {}

    def fisher_scores(self, X: Any, fisher: FisherDiscriminant, axes: tuple[int, ...]) -> Array:
        """Return rows along some of Fisher's directions, in deviations within classes: (n, d)."""
        chosen = fisher.directions_[list(axes)]
        return self._along(X, self.weights(fisher)[list(axes)].T) - chosen @ fisher.mean_

    def weights(self, fisher: FisherDiscriminant) -> Array:
        """Return Fisher's directions (d, p) in units of what the projection sees."""
        return np.asarray(fisher.directions_ @ self.components[: fisher.n_features_in_])

    def separation(
        self,
        fisher: FisherDiscriminant,
        X: Any = None,
        codes: NDArray[np.intp] | None = None,
    ) -> Array:
        """Return J of the first component and of Fisher's first direction, of shape (2,).

        Parameters
        ----------
        fisher : FisherDiscriminant
            Of this projection.
        X, codes : (n, p) and (n,) arrays, optional
            Other rows, such as those for testing; otherwise the training rows, from their moments.
        """
        if X is None or codes is None:
            directions = np.zeros((2, len(self.components)))
            directions[0, 0] = 1.0
            directions[1, : fisher.n_features_in_] = fisher.directions_[0]
            return fisher_criterion(self.moments, directions)
        weights = np.stack([self.components[0], self.weights(fisher)[0]], axis=1)
        scores = self._along(X, weights)
        return fisher_criterion(Moments.from_groups(scores, codes, len(self.moments)), np.eye(2))

    def rebuilt(self, X: Any, n_components: int) -> Array:
        """Return the reconstruction of rows (n, p) from n components, in the units of the features.

        Of pixels, for which there is nothing to prepare.
        """
        scores = self._along(X, self.components[:n_components].T)
        rows = scores @ self.components[:n_components] + self._last.mean_
        scale = self.pipeline.named_steps.get("standardize")
        return rows if scale is None else np.asarray(scale.inverse_transform(rows))

    @property
    def _last(self) -> Any:
        return self.pipeline.steps[-1][1]

    def _along(self, X: Any, weights: Array) -> Array:
        """Return rows times weights (p, d), about the mean of the training rows for PCA."""
        X = transform_for_classifier(self.pipeline[:-1], X)
        if self.is_sparse:
            return np.asarray(X @ weights)
        if X.dtype == np.float64:
            return np.asarray((X - self._last.mean_) @ weights)
        # Bytes have no digits to lose: centre after the product.
        return blocked_product(X, weights) - self._last.mean_ @ weights


@dataclass(frozen=True, eq=False)
class ProjectedData:
    """A data set along the principal components of its training rows, and Fisher's directions.

    Parameters
    ----------
    projection : Projection
    data : Dataset
    split : Split
    """

    projection: Projection
    data: Dataset
    split: Split

    @cached_property
    def digest(self) -> str:
        """Digest of everything that the projection was fitted from."""
        state = blake2b(self.data.digest.encode(), digest_size=16)
        for rows in self.split:
            state.update(np.ascontiguousarray(rows).data)
        state.update(" ".join(self.projection.pipeline.named_steps).encode())
        return state.hexdigest()

    def variance(self, **settings: Any) -> Any:
        """Return the share of the variance by component: a `VarianceDisplay`."""
        return display("VarianceDisplay", self, **settings)

    def pca(self, **settings: Any) -> Any:
        """Return the rows along principal components: a `PcaDisplay`."""
        return display("PcaDisplay", self, **settings)

    def fisher(self, **settings: Any) -> Any:
        """Return the rows along Fisher's directions: a `FisherDisplay`."""
        return display("FisherDisplay", self, **settings)

    def loadings(self, **settings: Any) -> Any:
        """Return the weights of the features in one direction: a `LoadingsDisplay`."""
        return display("LoadingsDisplay", self, **settings)

    def biplot(self, **settings: Any) -> Any:
        """Return rows and features along two components: a `BiplotDisplay`."""
        return display("BiplotDisplay", self, **settings)

    def eigen_images(self, **settings: Any) -> Any:
        """Return components or Fisher's directions as images: an `EigenImagesDisplay`."""
        return display("EigenImagesDisplay", self, **settings)

    def class_means(self, **settings: Any) -> Any:
        """Return the mean image of each class: a `ClassMeansDisplay`."""
        return display("ClassMeansDisplay", self, **settings)

    def reconstruction(self, **settings: Any) -> Any:
        """Return images rebuilt from components: a `ReconstructionDisplay`."""
        return display("ReconstructionDisplay", self, **settings)


def project(
    data: Dataset, split: Split | None = None, *, standardize: bool | None = None
) -> ProjectedData:
    """Project rows on principal components of the training set, and on Fisher's directions.

    Parameters
    ----------
    data : Dataset
    split : Split, optional
        By default as by `lincore.split`.
    standardize : bool, optional
        Bring features to variance one first; by default those of tables.

    Returns
    -------
    ProjectedData
        Its methods are the displays: ``pca()``, ``fisher()``, ``variance()``, ``loadings()``.

    Examples
    --------
    >>> import lincore
    >>> print(project(lincore.sample("iris")).variance().finding())
    Two components explain 95.8 % of the variance of 105 training rows; 95 % need 2 of 4.
    """
    split = split or split_rows(data)
    part = hold_out.summarise_training_set(data, split)
    standardize = data.kind.standardize if standardize is None else standardize
    return ProjectedData(fit_projections(data, split, part, standardize=standardize), data, split)


def fit_projections(
    data: Dataset, split: Split, part: hold_out.TrainingSet, *, standardize: bool
) -> Projection:
    """Fit principal components, or singular vectors for words, on the training set.

    Parameters
    ----------
    data : Dataset
    split : Split
    part : TrainingSet
        What `lincore.model_selection.hold_out.summarise_training_set` made of both.
    standardize : bool
        Bring features to variance one first; never done to words.

    Returns
    -------
    Projection
        Of 200 components at most, or 50 singular vectors.

    Raises
    ------
    DataError
        When the training rows do not vary.

    References
    ----------
    "faces-generative-vs-discriminative", "Dimension Reduction using PCA": fitted on the training
    rows alone.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> split = lincore.split(iris)
    >>> part = hold_out.summarise_training_set(iris, split)
    >>> found = fit_projections(iris, split, part, standardize=True)
    >>> found.components.shape, found.shares.round(2).tolist()
    ((4, 4), [0.74, 0.22, 0.04, 0.01])
    """
    width = _width(data, part)
    if data.kind.is_sparse:
        steps = Steps(False, n_components=max(1, min(MOST_VECTORS, width - 1, len(split.train))))
    else:
        steps = Steps(
            standardize, n_components=max(1, min(MOST_COMPONENTS, width, len(split.train)))
        )
    pipeline = hold_out.fit_from_training_set(pipeline_for(data, None, steps), data, split, part)
    prepare = pipeline.named_steps.get("prepare")
    moments = part.moments
    if moments is None:
        rows = transform_for_classifier(pipeline, data.X[split.train])
        moments = Moments.from_groups(rows, data.codes[split.train], data.n_classes)
    else:
        for name, step in pipeline.steps:
            moments = moments if name == "prepare" else step.map_moments(moments)
    return Projection(pipeline, prepared_names(prepare, data), moments)


def _width(data: Dataset, part: hold_out.TrainingSet) -> int:
    """Return how many columns the projection sees."""
    if part.moments is not None:
        return part.moments.n_features
    return data.n_features if part.prepare is None else len(prepared_names(part.prepare, data))


def n_fisher_components(data: Dataset, projection: Projection) -> int:
    """Return how many components Fisher's discriminant should see: all, where rows are plenty.

    In as many directions as there are rows every class shrinks to a point, and J says nothing
    of other rows.

    Parameters
    ----------
    data : Dataset
    projection : Projection
        Fitted to training rows.

    Returns
    -------
    int
        From 1 to the number of components of the projection.
    """
    k = len(projection.components)
    n_rows = int(projection.moments.count.sum())
    plenty = k if n_rows >= 5 * k else max(1, (n_rows - data.n_classes) // 3)
    few = k if data.kind.single_features else FISHER_COMPONENTS
    return min(k, plenty, few)


def class_means(X: NDArray[Any], codes: NDArray[np.intp], n_classes: int) -> Array:
    """Return the mean row of each class, (K, p); NaN for a class without rows.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    codes : ndarray of int, shape (n,)
        Class of each row, from 0 to K - 1.
    n_classes : int
        K, classes without a row included.

    Returns
    -------
    ndarray of shape (K, p)
        In the units of `X`.

    Examples
    --------
    >>> class_means(np.array([[0.0], [2.0], [5.0]]), np.array([0, 0, 1]), 2)
    array([[1.],
           [5.]])
    """
    means = np.full((n_classes, X.shape[1]), np.nan)
    for code in np.unique(codes):
        means[code] = X[codes == code].mean(axis=0)
    return means


def reconstruction_error(projection: Projection, X: NDArray[Any], n_components: int) -> float:
    """Return the root mean square reconstruction error over pixels, in their units.

    Parameters
    ----------
    projection : Projection
    X : ndarray of shape (n, p)
        Rows, in the units in which the projection was fitted.
    n_components : int
        How many of the leading components are used.

    Returns
    -------
    float
        0 where nothing is lost.
    """
    return float(np.sqrt(np.mean((projection.rebuilt(X, n_components) - X) ** 2)))
