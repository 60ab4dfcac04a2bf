"""The preprocessing steps of a model as a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lincore.model_selection.pipeline import Steps, as_basis
from lincore.utils.formatting import count, percent

if TYPE_CHECKING:
    from lincore.data.dataset import Dataset


def steps_phrase(data: Dataset, steps: Steps) -> str:
    """Name the preprocessing in a few words.

    Parameters
    ----------
    data : Dataset
    steps : Steps

    Examples
    --------
    >>> import lincore
    >>> from lincore import Steps
    >>> wine = lincore.sample("wine")
    >>> steps_phrase(wine, Steps()), steps_phrase(wine, Steps(False, n_components=2, whiten=True))
    ('standardised, no PCA', 'not standardised, 2 components, whitened')
    """
    if data.kind.is_sparse:
        return "word counts" if steps.n_components is None else f"{steps.n_components} components"
    parts = ["standardised" if steps.resolved(data).standardize else "not standardised"]
    if steps.basis is not None:
        basis = steps.basis if isinstance(steps.basis, str) else type(steps.basis).__name__
        parts.append(f"{basis.partition('(')[0]} basis" if basis != "hog" else "gradients")
    number = steps.n_components
    if number is None:
        parts.append("no PCA")
    elif isinstance(number, str):
        parts.append("components cross-validated")
    elif isinstance(number, float):
        parts.append(f"PCA, {percent(number, 0)} of the variance")
    else:
        parts.append(count(number, "component"))
    return ", ".join([*parts, *(["whitened"] if steps.whiten and number is not None else [])])


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
        gradients = as_basis(steps.basis, 0, data.image_shape).fit_transform(data.X[:2])
        width, noun = gradients.shape[1], "gradients (HOG)"
        if number is None:
            return f"{who} {width:,} {noun} instead of the {data.n_features:,} pixels."
    if number is None or data.kind.is_sparse:
        return ""
    if isinstance(number, str):
        return (
            f"{who} principal components of the {width:,} {noun}; inner cross-validation of the "
            "training rows chooses their number."
        )
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
