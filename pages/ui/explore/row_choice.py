"""Choice of the rows that the descriptive views of Explore use."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from pages.ui.session import cache
from pages.ui.widgets import controls, text

if TYPE_CHECKING:
    import numpy as np

    from lincore.data import Dataset
    from pages.ui.session.sidebar import PageExperiment

_PARTS = {"all": "All", "train": "Training", "test": "Test"}


class Rows(NamedTuple):
    """Rows of a data set, as the caches of this page know them.

    Attributes
    ----------
    digest : str
        Of the data.
    split : SplitSettings or None
        None where the rows are all rows: they do not depend on it.
    part : {"all", "train", "test"}
    """

    digest: str
    split: cache.SplitSettings | None
    part: str

    def of(self, data: Dataset) -> np.ndarray | None:
        """Return their numbers; None for all."""
        if self.split is None:
            return None
        rows: np.ndarray = getattr(cache.split(self.digest, self.split, data), self.part)
        return rows

    def words(self, data: Dataset) -> str:
        """Return what they are: "all 891 rows", "624 training rows"."""
        found = self.of(data)
        if found is None:
            held = " in memory" if data.n_streamed else ""
            return f"all {data.n_rows:,} rows{held}"
        return f"{len(found):,} {'training' if self.part == 'train' else 'test'} rows"


def choose(experiment: PageExperiment) -> Rows:
    """Ask for the rows; all of them at first, since nothing is fitted here."""
    parts = ["all", "train", *(["test"] if len(experiment.split.test) else [])]
    if st.session_state.get("explore.rows", "all") not in parts:
        del st.session_state["explore.rows"]
    controls.begin_with("explore.rows", "all")
    part = st.segmented_control(
        "Rows",
        parts,
        required=True,
        format_func=_PARTS.__getitem__,
        key="explore.rows",
        persist_state="session",
        help="What is drawn and computed here: all rows, or one part of the split. Choose "
        "features on training rows only, to keep test scores honest.",
    )
    part = part or "all"
    return Rows(experiment.data.digest, None if part == "all" else experiment.choice, part)


def note(rows: Rows, data: Dataset) -> str:
    """Return a sentence for a caption: what was computed on which rows."""
    return f"Computed on {text.escape(rows.words(data))}."
