"""Every key of the session that pages share, and typed access to what is stored under it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from lincore.errors import DataError, Notice
from pages.ui import cached

if TYPE_CHECKING:
    from lincore.datasets import Dataset
    from lincore.tables import Table

DATASET = "shared.dataset"
SOURCE = "shared.source"
PROBLEM = "shared.problem"
UPLOADS = "shared.uploads"


class Source(NamedTuple):
    """The table that a data set was made from, and the column that became its classes."""

    table: Table
    target: str


# Widgets whose sensible value depends on the data: they start afresh with every data set.
PER_DATASET = (
    "sidebar.how",
    "explore.standardize",
    "explore.x",
    "explore.y",
    "explore.z",
    "explore.fisher.x",
    "explore.fisher.y",
    "explore.fisher.z",
    "explore.fisher_components",
    "explore.direction",
    "explore.rebuild",
    "explore.picture",
    "explore.scores",
    "explore.fisher.scores",
    "classify.standardize",
    "classify.project",
    "classify.components",
    "classify.x",
    "classify.y",
    "classify.focus",
)


def require_dataset() -> Dataset:
    """Return the data set of this session; the first sample until one is chosen."""
    if DATASET not in st.session_state:
        choose_sample("iris")
    data: Dataset = st.session_state[DATASET]
    return data


def source() -> Source | None:
    """Return what the data set was made from, if that was a table."""
    found: Source | None = st.session_state.get(SOURCE)
    return found


def choose_sample(name: str) -> None:
    """Make a sample the data set of this session."""
    _keep(cached.sample(name), None)


def choose_upload(raw: bytes, name: str) -> None:
    """Make an uploaded file the data set of this session; keep the former if it cannot be read."""
    from lincore.images import read_image_zip
    from lincore.limits import is_zip
    from lincore.tables import propose_target, read_table

    try:
        if is_zip(raw):
            _keep(read_image_zip(raw, name), None)
        else:
            table = read_table(raw, name)
            _make(table, propose_target(table))
    except DataError as error:
        st.session_state[PROBLEM] = error.notice


def choose_target(column: str) -> None:
    """Make another column of the table the target; keep the former if it cannot be one."""
    found = source()
    if found is None:
        return
    try:
        _make(found.table, column)
    except DataError as error:
        st.session_state[PROBLEM] = error.notice


def problem() -> Notice | None:
    """Return why the last wish could not be met, until the next one is."""
    notice: Notice | None = st.session_state.get(PROBLEM)
    return notice


def _make(table: Table, target: str | None) -> None:
    from lincore.tables import table_to_dataset

    data = table_to_dataset(table, target)
    _keep(data, Source(table, str(target)))


def _keep(data: Dataset, made_from: Source | None) -> None:
    st.session_state[DATASET] = data
    st.session_state[SOURCE] = made_from
    st.session_state.pop(PROBLEM, None)
    for key in PER_DATASET:
        st.session_state.pop(key, None)
