"""Text on pages: escaped user text, uniform numbers and counts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import streamlit as st

from lincore import data as lincore_data

if TYPE_CHECKING:
    from lincore.data import Dataset
    from lincore.errors import Notice

# Everything that Streamlit's Markdown gives a meaning to: a column called ![](http://…) must
# neither load an image nor draw one.
_MARKUP = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~$:&])")
# Where a line must not break.
_PER_CENT = re.compile(r"(?<=\d) %")


def escape(text: object) -> str:
    """Return text so that Markdown shows it as it is, no number parted from its per cent sign."""
    return _PER_CENT.sub("\u00a0%", _MARKUP.sub(r"\\\1", " ".join(str(text).split())))


def row_noun(data: Dataset) -> str:
    """Return what a row of the data is called."""
    return "images" if data.kind.is_images else "rows"


def describe(data: Dataset) -> str:
    """Say how large a data set is, in one line of Markdown."""
    if data.kind.is_images:
        height, width = data.image_shape[:2]
        size = f"{data.n_rows:,} images of {width} × {height} pixels"
    elif data.n_words == data.n_features:
        size = f"{data.n_rows:,} rows of {data.n_words:,} distinct words"
    else:
        noun = "feature" if data.n_features == 1 else "features"
        words = f", {data.n_words:,} of them words," if data.n_words else ""
        size = f"{data.n_rows:,} rows of {data.n_features:,} {noun}{words}"
    more = f", and {data.n_streamed:,} streamed rows" if data.n_streamed else ""
    counted = lincore_data.counting(data)
    more += f"; {escape(counted)}" if counted else ""
    return f"{size} in {data.n_classes} classes{more}"


def show_problem(notice: Notice) -> None:
    """Show what cannot be done: cause, place and remedy."""
    place = f"**{escape(notice.where)}**  \n" if notice.where else ""
    remedy = f"  \n{escape(notice.remedy)}" if notice.remedy else ""
    st.error(f"{place}{escape(notice.what)}{remedy}")
