"""Kinds of data sets, and the defaults and views that depend on the kind."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

RowNoun: TypeAlias = Literal["rows", "texts", "pictures"]


class Kind(NamedTuple):
    """A kind of data set.

    Attributes
    ----------
    rows : {"rows", "texts", "pictures"}
        What its rows are called.
    is_images : bool
        Rows are shown as images.
    is_sparse : bool
        `X` is sparse: it counts words, and is neither standardised nor centred.
    standardize : bool
        Features are brought to unit variance unless something else is asked for.
    single_features : bool
        A feature means something by itself: it may be an axis, or leak the target.
    """

    rows: RowNoun
    is_images: bool = False
    is_sparse: bool = False
    standardize: bool = False
    single_features: bool = False


TABLE = Kind("rows", standardize=True, single_features=True)
TEXTS = Kind("texts", is_sparse=True)
IMAGES = Kind("pictures", is_images=True)
