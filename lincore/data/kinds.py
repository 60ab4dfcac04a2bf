"""Kinds of data sets, and the defaults and views that depend on the kind."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

RowNoun: TypeAlias = Literal["rows", "texts", "images"]


class Kind(NamedTuple):
    """A kind of data set."""

    rows: RowNoun  # {"rows", "texts", "images"}; name of its rows
    is_images: bool = False  # rows are shown as images
    is_sparse: bool = False  # `X` is sparse word counts, and is neither standardised nor centred
    standardize: bool = False  # features are standardised by default
    # Single features are meaningful: they may serve as an axis, or leak the target
    single_features: bool = False


TABLE = Kind("rows", standardize=True, single_features=True)
TEXTS = Kind("texts", is_sparse=True)
IMAGES = Kind("images", is_images=True)
