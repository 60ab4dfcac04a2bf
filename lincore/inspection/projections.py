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
from lincore.model_selection.fitting import TrainingSample, fit_steps, summarise_training_set
from lincore.model_selection.pipeline import Steps, transform_for_classifier
from lincore.moments.moments import Moments
from lincore.preprocessing.tabular import prepared_names
from lincore.utils.displayed import display
from lincore.utils.thread_warnings import captured_warnings
from lincore.utils.typing import Array

# Maximum number of principal components.
MOST_COMPONENTS = 200
# Maximum number of singular vectors of word counts: each takes a pass over the rows.
MOST_VECTORS = 50
# Components used by Fisher's discriminant for images and wide tables.
FISHER_COMPONENTS = 50


@dataclass(frozen=True, eq=False)
class Projection:
    """Principal components of the training rows, and Fisher's directions in their space.

    Parameters
    ----------
    pipeline : Pipeline
        Preprocessing, and as last step "pca", or "svd" for word counts.
    names : tuple of p str
        Names of the projection's input features, such as levels of categories.
    moments : Moments of shapes (K,), (K, k), (K, k, k)
        Moments by class of the training rows' k components.
    """

    pipeline: Pipeline
    names: tuple[str, ...]
    moments: Moments

    @property
    def is_sparse(self) -> bool:
        """True if singular vectors of uncentred rows are used instead of principal components."""
        return "svd" in self.pipeline.named_steps

    @property
    def components(self) -> Array:
        """Orthonormal rows (k, p), in units of the projection's inputs."""
        return np.asarray(self._last.components_)

    @property
    def shares(self) -> Array:
        """Share of the variance by component, (k,); for PCA including components not kept."""
        if self.is_sparse:
            return np.asarray(self._last.explained_variance_ratio_)
        return np.asarray(self._last.all_variances_ / self._last.all_variances_.sum())

    def scores(self, X: Any, axes: tuple[int, ...], *, whiten: bool = False) -> Array:
        """Return the scores of rows on some components.

        Parameters
        ----------
        X : (n, p) array or CSR
            In the form of `Dataset.X`.
        axes : tuple of d int
        whiten : bool, default False
            Whether to divide by the standard deviations of the training rows.

        Returns
        -------
        ndarray of shape (n, d)
        """
        weights = self.components[list(axes)].T
        if whiten:
            weights = weights / np.sqrt(self._last.explained_variance_[list(axes)])
        return self._along(X, weights)

    def fisher(self, n_components: int) -> FisherDiscriminant:
        """Fit Fisher's discriminant to the first components, from their moments.

        Raises
        ------
        ValueError
            If the means of the classes are equal.
        """
        if n_components not in self._discriminants:
            first = np.eye(len(self.components))[:, :n_components]
            classes = np.arange(len(self.moments))
            with captured_warnings():  # the data checks report on the features
                fitted = FisherDiscriminant().fit_moments(self.moments.map(first), classes)
            self._discriminants[n_components] = fitted
        return self._discriminants[n_components]

    @cached_property
    def _discriminants(self) -> dict[int, FisherDiscriminant]:
        return {}

    def fisher_scores(self, X: Any, fisher: FisherDiscriminant, axes: tuple[int, ...]) -> Array:
        """Return rows (n, d) along some of Fisher's directions, in within-class deviations."""
        chosen = fisher.directions_[list(axes)]
        return self._along(X, self.weights(fisher)[list(axes)].T) - chosen @ fisher.mean_

    def weights(self, fisher: FisherDiscriminant) -> Array:
        """Return Fisher's directions (d, p) in units of the projection's inputs."""
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
            Fitted by `fisher`.
        X, codes : (n, p) and (n,) arrays, optional
            Other rows, such as the test rows. Default: the training rows.
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
        """Reconstruct rows (n, p) from the first components, in the units of the features.

        Only for images, which need no encoding or imputation.
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
        # Bytes lose no digits: centre after the product.
        return blocked_product(X, weights) - self._last.mean_ @ weights


@dataclass(frozen=True, eq=False)
class ProjectedData:
    """A data set projected on principal components of its training rows and Fisher's directions.

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
        """Digest of the data, the split and the fitted projection's settings."""
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
    """Project rows on the principal components and Fisher's directions of the training set.

    Parameters
    ----------
    split : Split, optional
        Default: that of `lincore.split`.
    standardize : bool, optional
        Whether to standardise features first. Default: only for tables.

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
    sample = summarise_training_set(data, split)
    standardize = data.kind.standardize if standardize is None else standardize
    return ProjectedData(fit_projections(data, sample, standardize=standardize), data, split)


def fit_projections(data: Dataset, sample: TrainingSample, *, standardize: bool) -> Projection:
    """Fit principal components, or singular vectors for words, on the training set.

    Parameters
    ----------
    sample : TrainingSample
        Result of `lincore.model_selection.summarise_training_set`.
    standardize : bool
        Whether to standardise features first; ignored for word counts.

    Returns
    -------
    Projection
        At most 200 components or 50 singular vectors.

    Raises
    ------
    DataError
        If the training rows do not vary.

    References
    ----------
    "faces-generative-vs-discriminative", "Dimension Reduction using PCA": fitted only on the
    training rows.

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> sample = summarise_training_set(iris, lincore.split(iris))
    >>> projection = fit_projections(iris, sample, standardize=True)
    >>> projection.components.shape, projection.shares.round(2).tolist()
    ((4, 4), [0.74, 0.22, 0.04, 0.01])
    """
    width, n_train = _width(data, sample), len(sample.rows)
    if data.kind.is_sparse:
        steps = Steps(False, n_components=max(1, min(MOST_VECTORS, width - 1, n_train)))
    else:
        steps = Steps(standardize, n_components=max(1, min(MOST_COMPONENTS, width, n_train)))
    fitted = fit_steps(data, sample, steps)
    pipeline, moments = Pipeline([*fitted.fitted]), fitted.moments
    if moments is None or sample.moments is None:
        rows = transform_for_classifier(pipeline, data.X[sample.rows])
        moments = Moments.from_groups(rows, data.codes[sample.rows], data.n_classes)
    return Projection(pipeline, prepared_names(pipeline.named_steps.get("prepare"), data), moments)


def _width(data: Dataset, sample: TrainingSample) -> int:
    """Return the number of input columns of the projection."""
    if sample.moments is not None:
        return sample.moments.n_features
    steps = dict(sample.fitted)
    return len(prepared_names(steps["prepare"], data)) if steps else data.n_features


def n_fisher_components(data: Dataset, projection: Projection) -> int:
    """Return the number of components for Fisher's discriminant: all if there are many rows.

    With as many components as rows every class can be projected to a point, and J is meaningless
    for new rows.

    Parameters
    ----------
    projection : Projection
        Fitted to training rows.

    Returns
    -------
    int
        From 1 to the number of components of the projection.
    """
    k = len(projection.components)
    n_rows = int(projection.moments.count.sum())
    supported = k if n_rows >= 5 * k else max(1, (n_rows - data.n_classes) // 3)
    return min(k, supported, k if data.kind.single_features else FISHER_COMPONENTS)


def class_means(X: NDArray[Any], codes: NDArray[np.intp], n_classes: int) -> Array:
    """Return the mean row of each class, (K, p); NaN for a class without rows.

    Parameters
    ----------
    X : ndarray of shape (n, p)
    codes : ndarray of int, shape (n,)
        Class of each row, from 0 to K - 1.
    n_classes : int
        K, including classes without rows.

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
    X : ndarray of shape (n, p)
        Rows, in the units in which the projection was fitted.
    n_components : int
        Number of leading components used.

    Returns
    -------
    float
        0 if nothing is lost.
    """
    return float(np.sqrt(np.mean((projection.rebuilt(X, n_components) - X) ** 2)))
