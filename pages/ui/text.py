"""Words on a page: user text made harmless, numbers and counts written alike everywhere."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from lincore.datasets import Dataset
    from lincore.errors import Notice

# Everything that Streamlit's Markdown gives a meaning to: a column called ![](http://…) must
# neither load a picture nor draw one.
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")


def escape(text: object) -> str:
    """Return user text so that Markdown shows it as it is, on one line."""
    return _MARKUP.sub(r"\\\1", " ".join(str(text).split()))


def row_noun(data: Dataset) -> str:
    """Return what a row of the data is called."""
    return "pictures" if data.image_shape else "rows"


def describe(data: Dataset) -> str:
    """Say how large a data set is, in one line of Markdown."""
    if data.image_shape:
        height, width = data.image_shape[:2]
        size = f"{data.n_rows:,} pictures of {width} × {height} pixels"
    elif data.n_words == data.n_features:
        size = f"{data.n_rows:,} rows of {data.n_words:,} different words"
    else:
        noun = "feature" if data.n_features == 1 else "features"
        words = f", {data.n_words:,} of them words," if data.n_words else ""
        size = f"{data.n_rows:,} rows of {data.n_features:,} {noun}{words}"
    more = f", and {data.n_beyond:,} rows that are summed" if data.n_beyond else ""
    return f"{size} in {data.n_classes} classes{more}"


def show_problem(notice: Notice) -> None:
    """Show what cannot be done: cause, place and remedy."""
    place = f"**{escape(notice.where)}**  \n" if notice.where else ""
    remedy = f"  \n{escape(notice.remedy)}" if notice.remedy else ""
    st.error(f"{place}{escape(notice.what)}{remedy}")
