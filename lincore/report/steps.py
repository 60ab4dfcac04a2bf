"""The preprocessing steps of a model as a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lincore.estimators.least_squares import LeastSquaresClassifier
from lincore.model_selection.pipeline import Steps, as_basis
from lincore.preprocessing.hog import HOG
from lincore.utils.formatting import count, percent

_TARGETS = {
    "one-hot": "one-hot targets: 1 in the column of the class of a row, 0 elsewhere",
    "plus-minus": "the targets 1 in the column of the class of a row and −1 elsewhere",
    "fisher": "Fisher's targets: N/N_k in the column of the class of a row, 0 elsewhere",
}

if TYPE_CHECKING:
    from sklearn.pipeline import Pipeline

    from lincore.data.dataset import Dataset


def projection_sentence(data: Dataset, steps: Steps, n_train: int, *, who: str) -> str:
    """Describe the inputs of the models; empty if they are the features.

    Parameters
    ----------
    data : Dataset
    steps : Steps
    n_train : int
        Number of training rows.
    who : str
        "The model sees" or "All models use".

    Examples
    --------
    >>> import lincore
    >>> from lincore import Steps
    >>> wine = lincore.sample("wine")
    >>> projection_sentence(wine, Steps(n_components=2), 125, who="The model sees")
    'The model sees 2 principal components of the 13 features; the remainder is discarded.'
    """
    number, width = steps.n_components, data.n_features
    noun = "pixels" if data.kind.is_images else "features"
    if data.image_shape is not None and steps.basis is not None:
        width, noun = _n_gradients(data, steps), "gradients (HOG)"
        if number is None:
            return f"{who} {width:,} {noun} instead of the {data.n_features:,} pixels."
    if number is None or data.kind.is_sparse:
        return ""
    if isinstance(number, float):
        few = data.kind.is_images and width > n_train
        why = f": there are only {n_train:,} training images" if few else ""
        return (
            f"{who} the principal components that explain {percent(number, 0)} of the variance of "
            f"the {width:,} {noun}{why}."
        )
    if number >= width:
        return ""
    components = f"{number:,} principal component{'' if number == 1 else 's'}"
    return f"{who} {components} of the {width:,} {noun}; the remainder is discarded."


def target_values_note(classifier: object) -> str:
    """Describe the targets of least squares; empty for other classifiers.

    Examples
    --------
    >>> import lincore
    >>> target_values_note(lincore.LeastSquaresClassifier())
    'Fitted to one-hot targets: 1 in the column of the class of a row, 0 elsewhere.'
    """
    if not isinstance(classifier, LeastSquaresClassifier):
        return ""
    return f"Fitted to {_TARGETS[classifier.targets]}."


def _n_gradients(data: Dataset, steps: Steps) -> int:
    """Return the number of values of an image after the step "basis"."""
    return int(as_basis(steps.basis, 0, data.image_shape).fit_transform(data.X[:2]).shape[1])


def pipeline_steps(pipeline: Pipeline, data: Dataset, method: str) -> tuple[str, ...]:
    """Describe the steps of a fitted pipeline briefly, the classifier last.

    Parameters
    ----------
    pipeline : Pipeline
        Fitted, as `lincore.model_selection.pipeline_for` makes them.
    data : Dataset
    method : str
        Display name of the classifier.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> import lincore
    >>> iris = lincore.sample("iris")
    >>> model = lincore.LinearDiscriminantAnalysis()
    >>> pipeline = lincore.model_selection.pipeline_for(iris, model).fit(iris.X, iris.codes)
    >>> pipeline_steps(pipeline, iris, "LDA")
    ('standardise 4 features', 'LDA')
    """
    names = []
    for name, step in pipeline.steps:
        if name == "prepare":
            names.append(_prepared(data))
        elif name == "standardize":
            names.append(f"standardise {count(len(step.scale_), 'feature')}")
        elif name == "basis" and isinstance(step, HOG):
            size = f"{step.cell_size_} × {step.cell_size_}"
            names.append(f"{step.n_features_out:,} gradients (HOG) in cells of {size} pixels")
        elif name == "basis":
            names.append(f"basis of {step.get_feature_names_out().size:,} functions")
        elif name == "pca":
            share = float(step.explained_variance_ratio_.sum())
            white = ", whitened" if step.whiten else ""
            names.append(f"PCA {step.n_components_} ({percent(share)} of the variance{white})")
        elif name == "svd":
            names.append(f"SVD {len(step.components_)}")
    return (*(names or [count(data.n_features, "feature")]), method)


def _prepared(data: Dataset) -> str:
    parts = []
    if data.has_missing:
        parts.append("impute")
    if data.has_categories:
        parts.append("encode categories")
    if data.kind.is_sparse:
        parts.append("count words")
    return " and ".join(parts) or "prepare"
