"""The preprocessing steps of a model as a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lincore.utils.formatting import percent

if TYPE_CHECKING:
    from lincore.data.dataset import Dataset


def projection_sentence(
    data: Dataset, n_components: float | None, n_train: int, *, who: str
) -> str:
    """Return what the models see in place of the features; empty where they see these.

    Parameters
    ----------
    data : Dataset
    n_components : int, float or None
        Of the principal components: a number, a share of the variance, or None without them.
    n_train : int
        Number of training rows.
    who : str
        "The model sees" or "All models see".

    Examples
    --------
    >>> import lincore
    >>> wine = lincore.sample("wine")
    >>> projection_sentence(wine, 2, 125, who="The model sees")
    'The model sees 2 principal components of the 13 features; what these leave out is lost.'
    """
    number, width = n_components, data.n_features
    if number is None or data.kind.is_sparse:
        return ""
    noun = "pixels" if data.kind.is_images else "features"
    if isinstance(number, float):
        few = data.kind.is_images and width > n_train
        why = f": there are only {n_train:,} training images" if few else ""
        return (
            f"{who} the principal components that hold {percent(number, 0)} of the variance of "
            f"the {width:,} {noun}{why}."
        )
    if number >= width:
        return ""
    components = f"{number:,} principal component{'' if number == 1 else 's'}"
    return f"{who} {components} of the {width:,} {noun}; what these leave out is lost."
