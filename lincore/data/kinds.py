"""Kinds of data sets, and the defaults and views that depend on the kind."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

RowNoun: TypeAlias = Literal["rows", "texts", "images"]


class Kind(NamedTuple):
    """A kind of data set.

    Attributes
    ----------
    rows : {"rows", "texts", "images"}
        Name of its rows.
    is_images : bool
        Rows are shown as images.
    is_sparse : bool
        `X` is sparse word counts, and is neither standardised nor centred.
    standardize : bool
        Features are standardised by default.
    single_features : bool
        Single features are meaningful: they may serve as an axis, or leak the target.
    """

    rows: RowNoun
    is_images: bool = False
    is_sparse: bool = False
    standardize: bool = False
    single_features: bool = False


TABLE = Kind("rows", standardize=True, single_features=True)
TEXTS = Kind("texts", is_sparse=True)
IMAGES = Kind("images", is_images=True)
