"""Every key of the session that pages share, and typed access to what is stored under it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import streamlit as st

from lincore.errors import DataError, Hint, Notice
from pages.ui.session import cache, kept_data
from pages.ui.session.sources import ImageSource, Source
from pages.ui.widgets import displays, experiment_record

if TYPE_CHECKING:
    from lincore.data import Dataset

#: The settings of the test set.
SPLIT = "sidebar"
DATASET = "shared.dataset"
SOURCE = "shared.source"
ORIGIN = "shared.origin"
REFUSED = "shared.refused"
NOTIFIED = "shared.notified"
UPLOADS = "shared.uploads"
# The SHA-256 of what was uploaded last, and whether it was several files.
SHA = "shared.uploads.sha"


class Origin(NamedTuple):
    """Origin of the data of this session, for scripts and links.

    Attributes
    ----------
    kind : {"sample", "generated", "experiment", "download", "file"}
    name : str
        Of the sample, the download or the file.
    arguments : mapping
        Of `lincore.io.gaussian_classes`, for generated data; of `lincore.analysis.ExperimentData`.
    sha : str
        The SHA-256 of a file, 64 hexadecimal digits.
    drop_image_duplicates : bool
        Whether they were left out of images that have no `ImageSource`.
    several : bool
        Whether a file is several, or a folder.
    """

    kind: str
    name: str
    arguments: Mapping[str, Any] = {}
    sha: str = ""
    drop_image_duplicates: bool = False
    several: bool = False


class Refused(NamedTuple):
    """A change that was refused.

    Attributes
    ----------
    notice : Notice
    remedies : tuple of Hint
        What would help, applied to `attempt`.
    attempt : Source, ImageSource or None
        What was tried.
    shown : bool
        Whether the page Data shows what was tried, to be put right: a file that could not be used
        as it is read. Otherwise it goes on showing what is in use.
    """

    notice: Notice
    remedies: tuple[Hint, ...] = ()
    attempt: Source | ImageSource | None = None
    shown: bool = False


# Widgets whose sensible value depends on the data: they start afresh with every data set.
PER_DATASET = (
    "data.images.resize",
    "data.images.height",
    "data.images.width",
    "data.images.colour",
    "data.images.fit",
    "data.images.level",
    "data.images.pattern",
    "explore.view",
    "explore.ranked",
    "explore.standardize",
    "settings.explore.column",
    "settings.explore.pair",
    "settings.explore.pca",
    "settings.explore.fisher",
    "settings.explore.loadings",
    "settings.explore.reconstruction",
    *(f"explore.{plot}{end}" for plot in ("pair", "pca", "fisher") for end in ("", ".picked")),
    "classify.confusion.picked",
    experiment_record.STEPS,
    "classify.word",
    "classify.whatif.features",
    "shared.fitted",
    "settings.classify.plane",
    "settings.classify.curves",
    "settings.classify.calibration",
    "settings.classify.coefficients",
    "settings.classify.odds",
    "settings.classify.equation",
    "settings.classify.learned.matrix",
    "settings.classify.learned.pair",
    "settings.classify.whatif",
    "settings.question.compare",
    "settings.compare.rows",
    "settings.compare.planes",
    "settings.compare.sizes",
    "balance.kept",
    "balance.methods",
    "balance.method",
    "balance.loss",
    "predict.source",
    "settings.predict.rows",
    "predict.priors",
    "predict.priors.class",
    "predict.fill_missing",
    "predict.file",
    "predict.new",
    "predict.typed",
    "predict.file.former",
    "predict.problem",
    "predict.shown",
    "balance.cost.weight",
    "settings.balance.more",
    "settings.balance.sides",
    "settings.balance.priors",
    "settings.balance.errors",
)
# Of these, what stays when the same file is merely read or used otherwise.
_PER_FILE = (
    "predict.source",
    "predict.file",
    "predict.new",
    "predict.typed",
    "predict.file.former",
    "predict.problem",
)


def has_dataset() -> bool:
    """Return whether this session has data already."""
    return DATASET in st.session_state


def require_dataset() -> Dataset:
    """Return the data set of this session; the first sample until one is chosen."""
    if not has_dataset():
        refusal = refused()
        choose_sample("iris")
        # Nobody has chosen these data: a file that could not be used is reported all the same.
        st.session_state[REFUSED] = refusal
    data: Dataset = st.session_state[DATASET]
    return data


def source() -> Source | None:
    """Return what the data set was made from, if that was a table."""
    found = st.session_state.get(SOURCE)
    return found if isinstance(found, Source) else None


def image_source() -> ImageSource | None:
    """Return what the data set was made from, if those were files of images."""
    found = st.session_state.get(SOURCE)
    return found if isinstance(found, ImageSource) else None


def sample_source() -> Source | None:
    """Return the bundled table in use as it is, to be used otherwise; None for anything else."""
    came_from = origin()
    if came_from.kind != "sample" or source() is not None or require_dataset().kind.is_images:
        return None
    return cache.sample_source(came_from.name)


def origin() -> Origin:
    """Return where the data set came from."""
    require_dataset()
    found: Origin = st.session_state[ORIGIN]
    return found


def opened() -> Source | ImageSource | None:
    """Return what the page Data shows and edits: what is in use, or a file to be put right."""
    found = refused()
    if found is not None and found.shown and found.attempt is not None:
        return found.attempt
    return source() or image_source() or sample_source()


def refused() -> Refused | None:
    """Return the last change if it was refused."""
    found: Refused | None = st.session_state.get(REFUSED)
    return found


def notify() -> Refused | None:
    """Return the last change if it was refused, and mark it as shown by the page Data."""
    st.session_state[NOTIFIED] = refused()
    return refused()


def problem() -> Notice | None:
    """Return why the last change was refused, until the page Data has shown it."""
    found = refused()
    return None if found is None or found is st.session_state.get(NOTIFIED) else found.notice


def dismiss() -> None:
    """Forget a change that was refused."""
    st.session_state.pop(REFUSED, None)
    st.session_state.pop(NOTIFIED, None)


def refuse(
    error: DataError, attempt: Source | ImageSource | None = None, *, shown: bool = False
) -> None:
    """Remember a change that was refused; the data stay as they are."""
    st.session_state[REFUSED] = Refused(error.notice, error.remedies, attempt, shown)


def choose_sample(name: str) -> None:
    """Make a sample the data set of this session."""
    keep(cache.sample(name), cache.sample_table(name), Origin("sample", name))


def recall(sha: str = "") -> None:
    """Make what this browser has brought before the data set of this session, if it is kept."""
    found = kept_data.recall(sha)
    if found is not None:
        keep(*found, is_new=False)


def keep(
    data: Dataset,
    made_from: Source | ImageSource | None,
    came_from: Origin,
    *,
    is_new: bool = True,
) -> None:
    """Make a data set that of this session."""
    if data.groups is not None and (not has_dataset() or require_dataset().groups is None):
        displays.set_settings(SPLIT, how=None)
    st.session_state[DATASET] = data
    st.session_state[SOURCE] = made_from
    if is_new and came_from.kind == "file":
        sha, several = st.session_state.get(SHA, ("", False))
        came_from = came_from._replace(sha=sha, several=several)
    st.session_state[ORIGIN] = came_from
    if came_from.sha:
        kept_data.remember(kept_data.KeptData(data, made_from, came_from))
    dismiss()
    for key in PER_DATASET:
        if is_new or key not in _PER_FILE:
            st.session_state.pop(key, None)
    if is_new:
        displays.set_settings(SPLIT, how=None)
