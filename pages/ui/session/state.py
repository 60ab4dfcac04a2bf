"""The keys of the session that pages share, with typed access to their values."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore import analysis, io
from lincore.errors import DataError, Hint, Notice
from pages.ui.jobs import cache
from pages.ui.server import browser_data
from pages.ui.server.shared_cache import n_bytes
from pages.ui.session.sources import ImageSource, Source, source_of_sample
from pages.ui.widgets import displays

if TYPE_CHECKING:
    from lincore.analysis import DataSource
    from lincore.data import Dataset

#: The settings of the test set.
SPLIT = "sidebar"
DATASET = "shared.dataset"
SOURCE = "shared.source"
REFUSED = "shared.refused"


class Refused(NamedTuple):
    """A change that was refused.

    Attributes
    ----------
    notice : Notice
    remedies : tuple of Hint
        Possible remedies, to be applied to `attempt`.
    attempt : Source, ImageSource or None
        The refused source.
    shown : bool
        Whether the page Data shows the refused source, so that its import options can be changed.
        Otherwise it continues to show the source in use.
    seen : bool
        Whether the page Data has shown it.
    """

    notice: Notice
    remedies: tuple[Hint, ...] = ()
    attempt: Source | ImageSource | None = None
    shown: bool = False
    seen: bool = False


# Widgets whose values depend on the data: they are reset with every data set, like the settings of
# all displays and questions.
PER_DATASET = (
    "explore.ranked",
    *(f"explore.{plot}{end}" for plot in ("pair", "pca", "fisher") for end in ("", ".picked")),
    "classify.confusion.picked",
    "classify.whatif.features",
    "shared.fitted",
    "predict.file",
    "predict.file.former",
    "predict.problem",
    "predict.shown",
)
# Settings that are independent of the data: split, laboratory and classifiers.
_ANY_DATA = (SPLIT, "geometry", "experiment.", "compare.second.")
# Those that remain if only the options of the same file change.
_PER_FILE = ("predict.file", "predict.file.former", "predict.problem")


def has_dataset() -> bool:
    """Return whether this session has data already."""
    return DATASET in st.session_state


def require_dataset() -> Dataset:
    """Return the data set of this session; the first sample until one is chosen."""
    if not has_dataset():
        refusal = refused()
        choose_sample("iris")
        if refusal is not None:  # these data are a default: an unusable file is still reported
            st.session_state[REFUSED] = refusal
    return st.session_state[DATASET]


def source() -> Source | None:
    """Return the source of the data set, if it is a table."""
    origin = st.session_state.get(SOURCE)
    return origin if isinstance(origin, Source) else None


def image_source() -> ImageSource | None:
    """Return the source of the data set, if it is image files."""
    origin = st.session_state.get(SOURCE)
    return origin if isinstance(origin, ImageSource) else None


def sample_source() -> Source | None:
    """Return the bundled table in use, as an editable source; None for other data."""
    origin = data_source()
    if not isinstance(origin, analysis.SampleData) or source() is not None:
        return None
    if require_dataset().kind.is_images:
        return None
    return _sample_source(origin.name)


@functools.cache
def _sample_table(name: str) -> Source | None:
    """Return the table from which a sample is read, if its columns have several types."""
    if name not in io.SAMPLE_TABLES:
        return None
    raw, origin = io.sample_file(name), analysis.SampleData(name)
    table = Source(None, io.SAMPLE_TABLES[name], raw=raw, name=f"{name}.csv", origin=origin)
    return table.read()


@functools.cache
def _sample_source(name: str) -> Source:
    """Return a bundled table whose column roles can be changed."""
    return source_of_sample(cache.sample(name), name)


def data_source() -> DataSource:
    """Return the data of this session as in a specification."""
    require_dataset()
    origin = st.session_state[SOURCE]
    return origin.description if isinstance(origin, Source | ImageSource) else origin


def opened() -> Source | ImageSource | None:
    """Return the source that the page Data edits: the one in use, or a refused file."""
    refusal = refused()
    if refusal is not None and refusal.shown and refusal.attempt is not None:
        return refusal.attempt
    return source() or image_source() or sample_source()


def refused() -> Refused | None:
    """Return the last change if it was refused."""
    return st.session_state.get(REFUSED)


def notify() -> Refused | None:
    """Return the last change if it was refused, and mark it as seen on the page Data."""
    refusal = refused()
    if refusal is not None:
        st.session_state[REFUSED] = refusal._replace(seen=True)
    return refusal


def problem() -> Notice | None:
    """Return why the last change was refused, until the page Data has shown it."""
    refusal = refused()
    return None if refusal is None or refusal.seen else refusal.notice


def dismiss() -> None:
    """Forget a refused change."""
    st.session_state.pop(REFUSED, None)


def refuse(
    error: DataError, attempt: Source | ImageSource | None = None, *, shown: bool = False
) -> None:
    """Note a refused change; the data do not change."""
    st.session_state[REFUSED] = Refused(error.notice, error.remedies, attempt, shown)


def choose_sample(name: str) -> None:
    """Make a sample the data set of this session."""
    use_data(cache.sample(name), _sample_table(name) or analysis.SampleData(name))


def kept_upload(sha: str = "") -> tuple[Dataset, Any] | None:
    """Return an upload that the server keeps for this browser; without a digest, the last one."""
    return browser_data.STORE.get(browser_data.this_browser(), sha)


def recall(sha: str = "") -> None:
    """Restore an earlier upload of this browser, if the server still keeps it."""
    upload = kept_upload(sha)
    if upload is not None:
        use_data(*upload, is_new=False)


def use_data(
    data: Dataset, made_from: Source | ImageSource | DataSource, *, is_new: bool = True
) -> None:
    """Make a data set the current one of this session."""
    if data.groups is not None and (not has_dataset() or require_dataset().groups is None):
        displays.set_settings(SPLIT, how=None)
    st.session_state[DATASET] = data
    st.session_state[SOURCE] = made_from
    sha = getattr(data_source(), "sha256", "")
    if sha:
        upload = (data, made_from)
        browser_data.STORE.put(browser_data.this_browser(), sha, upload, n_bytes(upload))
    dismiss()
    for key in PER_DATASET:
        if is_new or key not in _PER_FILE:
            st.session_state.pop(key, None)
    former = displays.settings("predict")
    displays.forget_settings(*_ANY_DATA)
    # A saved model is independent of the data, and new rows of the import options.
    names = ("model",) if is_new else ("model", "rows")
    displays.set_settings("predict", **{name: former.get(name) for name in names})
    if is_new:
        displays.set_settings(SPLIT, how=None)
